-- Of a long text, the vectors of its passages, one behind the other; the codes of its words lie
-- behind its own vector. Records that are long and have none yet wait for them.
CREATE TABLE part
( key  INTEGER PRIMARY KEY
, data BLOB NOT NULL
) STRICT;

ALTER TABLE model ADD COLUMN parts INTEGER NOT NULL DEFAULT 0;

INSERT OR IGNORE INTO waiting (seq)
SELECT r.seq FROM record r JOIN content c ON c.seq = r.seq
 WHERE r.kind NOT IN ('entity', 'source', 'code')
   AND length(c.text) > 2000
   AND EXISTS (SELECT 1 FROM model);
