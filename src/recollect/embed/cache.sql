-- name: create_vector
-- Digests in place of texts, so that the file holds nothing to read. `id` keeps the order of age.
CREATE TABLE vector (
    id    INTEGER PRIMARY KEY
  , text  BLOB NOT NULL
  , space BLOB NOT NULL
  , codes BLOB NOT NULL
  , UNIQUE (text, space)
) STRICT;

-- name: create_forgetting
-- Tells every other process that what it has not written yet may have been forgotten meanwhile.
CREATE TABLE forgetting (
    times INTEGER NOT NULL
) STRICT;

-- name: begin_forgetting
INSERT INTO forgetting (times)
VALUES (0);

-- name: times_forgotten
SELECT times
  FROM forgetting;

-- name: count_forgetting
UPDATE forgetting
   SET times = times + 1;

-- name: find
-- The vectors of many texts at once; their digests come as a JSON list of hexadecimal strings.
SELECT text
     , codes
  FROM vector
 WHERE text IN (SELECT unhex(value) FROM json_each(:texts))
   AND space = :space;

-- name: keep
INSERT OR IGNORE INTO vector (text, space, codes)
VALUES (:text, :space, :codes);

-- name: trim
-- Out with the oldest. Numbers left unused by forgetting make this strict, never lax.
DELETE FROM vector
 WHERE id <= (SELECT max(id) FROM vector) - :rows;

-- name: forget
-- In every space: a forgotten text may have been a query, too, and embedded by several models.
DELETE FROM vector
 WHERE text IN (SELECT unhex(value) FROM json_each(:texts));

-- name: forget_all
DELETE FROM vector;
