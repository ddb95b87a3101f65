-- name: whole_file
PRAGMA integrity_check (100);

-- name: broken_references
PRAGMA foreign_key_check;

-- name: unindexed
-- Records that ought to be found by words and are not in the index.
SELECT r.id FROM record r
 WHERE r.kind <> 'entity'
   AND r.seq NOT IN (SELECT id FROM words_docsize)
 LIMIT 100;

-- name: indexed_ghosts
-- Words of records that are no more.
SELECT id FROM words_docsize WHERE id NOT IN (SELECT seq FROM record) LIMIT 100;

-- name: vectorless
-- Records that neither have a serving vector nor wait for one.
SELECT r.id FROM record r
 WHERE r.kind <> 'entity'
   AND r.seq NOT IN (SELECT v.seq FROM vector v JOIN model m ON m.id = v.model
                      WHERE m.state = 'serving')
   AND r.seq NOT IN (SELECT seq FROM waiting)
   AND EXISTS (SELECT 1 FROM model)
 LIMIT 100;

-- name: sums
-- The sums that BM25 uses, as kept and as counted.
SELECT (SELECT value FROM meta WHERE key = 'documents'), (SELECT count(*) FROM words_docsize)
     , (SELECT value FROM meta WHERE key = 'length'), (SELECT total(length) FROM record);

-- name: slots_of
SELECT seq, slot FROM vector WHERE model = :model ORDER BY slot;

-- name: circles
-- Records from which following supersession comes back to them.
WITH RECURSIVE chain (start, seq) AS (
  SELECT src, dst FROM edge WHERE type = 'supersedes'
  UNION
  SELECT chain.start, e.dst FROM chain JOIN edge e ON e.src = chain.seq
   WHERE e.type = 'supersedes'
)
SELECT r.id FROM chain JOIN record r ON r.seq = chain.start WHERE chain.seq = chain.start;
