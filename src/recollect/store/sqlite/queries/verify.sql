-- name: whole_file
PRAGMA integrity_check (100);

-- name: broken_references
PRAGMA foreign_key_check;

-- name: unindexed
-- Records that ought to be found by words and are not in the index.
SELECT r.id FROM record r
 WHERE r.kind NOT IN ('entity', 'code', 'source')
   AND r.seq NOT IN (SELECT id FROM words_docsize)
 LIMIT 100;

-- name: indexed_ghosts
-- Words of records that are no more.
SELECT id FROM words_docsize WHERE id NOT IN (SELECT seq FROM record) LIMIT 100;

-- name: unindexed_code
-- Pieces of code that the index of code does not have, and those that it has and are no more.
SELECT r.id FROM record r
 WHERE r.kind = 'code' AND r.seq NOT IN (SELECT id FROM code_words_docsize)
UNION ALL
SELECT id FROM code_words_docsize WHERE id NOT IN (SELECT seq FROM record)
 LIMIT 100;

-- name: vectorless
-- Records that neither have a vector nor wait for one, of the coming model or else the serving one.
SELECT r.id FROM record r
  JOIN (SELECT id FROM model ORDER BY state LIMIT 1) m
 WHERE r.kind NOT IN ('entity', 'source')
   AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.key = (m.id << 40) + r.seq)
   AND r.seq NOT IN (SELECT seq FROM waiting)
 LIMIT 100;

-- name: vector_ghosts
-- Vectors of records or models that are no more.
SELECT v.key & ((1 << 40) - 1) FROM vector v
 WHERE (v.key & ((1 << 40) - 1)) NOT IN (SELECT seq FROM record)
    OR (v.key >> 40) NOT IN (SELECT id FROM model)
 LIMIT 100;

-- name: part_ghosts
-- Vectors of passages whose record has none of its own.
SELECT p.key & ((1 << 40) - 1) FROM part p
 WHERE p.key NOT IN (SELECT key FROM vector)
 LIMIT 100;

-- name: vector_counts
-- How many vectors each model has, those of passages too, as kept and as counted.
SELECT m.name, m.held + m.parts
     , (SELECT count(*) FROM vector v
         WHERE v.key BETWEEN m.id << 40 AND ((m.id + 1) << 40) - 1)
     + (SELECT coalesce(sum(length(p.data)), 0) / (2 * m.dimensions) FROM part p
         WHERE p.key BETWEEN m.id << 40 AND ((m.id + 1) << 40) - 1)
  FROM model m;

-- name: sums
-- The sums that BM25 uses, as kept and as counted.
SELECT (SELECT value FROM meta WHERE key = 'documents'), (SELECT count(*) FROM words_docsize)
     , (SELECT value FROM meta WHERE key = 'length'), (SELECT total(length) FROM record);

-- name: circles
-- Records from which following supersession comes back to them.
WITH RECURSIVE chain (start, seq) AS (
  SELECT src, dst FROM edge WHERE type = 'supersedes'
  UNION
  SELECT chain.start, e.dst FROM chain JOIN edge e ON e.src = chain.seq
   WHERE e.type = 'supersedes'
)
SELECT r.id FROM chain JOIN record r ON r.seq = chain.start WHERE chain.seq = chain.start;
