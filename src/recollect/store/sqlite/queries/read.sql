-- name: filter
-- Not a statement: what every filtered read says, put in the place of its name after an @.
(:kinds IS NULL OR r.kind IN (SELECT value FROM json_each(:kinds)))
   AND (:scopes IS NULL OR r.scope IN (SELECT value FROM json_each(:scopes)))
   AND (:types IS NULL OR r.type IN (SELECT value FROM json_each(:types))
        OR r.kind IN (SELECT value FROM json_each(:untyped)))
   AND (:statuses IS NULL OR r.status IN (SELECT value FROM json_each(:statuses)))
   AND (:at IS NULL OR (r.valid_from <= :at AND (r.valid_until IS NULL OR :at < r.valid_until)))
   AND (:session IS NULL OR r.session = :session)
   AND (:since IS NULL OR r.event_time >= :since)
   AND (:until IS NULL OR r.event_time < :until);

-- name: whole
-- Not a statement: the columns of a whole record, in the order that `rows.py` reads them.
r.seq, r.id, r.kind, r.scope, r.type, r.status, r.valid_from, r.valid_until, r.event_time
     , r.session, r.version, c.text, c.title, c.key, c.author, c.created_at, c.updated_at
     , c.confidence, c.importance, c.source, c.source_ref, c.speaker, c.metadata, c.facts
     , (SELECT at FROM access WHERE seq = r.seq)
     , (SELECT group_concat(o.id, ' ') FROM edge e JOIN record o ON o.seq = e.dst
         WHERE e.src = r.seq AND e.type = 'supersedes')
     , (SELECT n.id FROM edge e JOIN record n ON n.seq = e.src
         WHERE e.dst = r.seq AND e.type = 'supersedes');

-- name: snapshot
-- The first read of a transaction decides what it sees. It says how often names were taken out.
SELECT value FROM meta WHERE key = 'names';

-- name: records
-- Whole records by id.
SELECT @whole
  FROM record r
  JOIN content c ON c.seq = r.seq
 WHERE r.id IN (SELECT value FROM carray(:ids));

-- name: rows
-- Whole records by number. CROSS JOIN keeps the given numbers on the outside: the planner knows
-- nothing of how few they are, and would rather walk the whole table.
SELECT @whole
  FROM carray(:seqs) s
  CROSS JOIN record r ON r.seq = s.value
  JOIN content c ON c.seq = r.seq;

-- name: spots
-- Where records are.
SELECT r.seq, r.scope, c.source_ref, r.type
  FROM carray(:seqs) s
  CROSS JOIN record r ON r.seq = s.value
  JOIN content c ON c.seq = r.seq;

-- name: page
-- The numbers of one page of records, newest first.
SELECT r.seq
  FROM record r
 WHERE @filter
 ORDER BY r.seq DESC
 LIMIT :limit OFFSET :offset;

-- name: page_of_kind
-- The same for one kind, along the index, since a rare kind is spread thin over the table.
SELECT r.seq
  FROM record r
 WHERE r.kind = :kind
   AND @filter
 ORDER BY r.seq DESC
 LIMIT :limit OFFSET :offset;

-- name: count
-- How many records match.
SELECT count(*)
  FROM record r
 WHERE @filter;

-- name: passing
-- Of the given records, those that match.
SELECT r.seq
  FROM carray(:seqs) s
  CROSS JOIN record r ON r.seq = s.value
 WHERE @filter;

-- name: matching
-- The best of all records that hold one of the words; the filter comes after.
SELECT rowid, -rank
  FROM words
 WHERE words MATCH :match
 ORDER BY rank
 LIMIT :limit;

-- name: matching_where
-- The best of the records that hold one of the words and match the filter.
SELECT w.rowid, -bm25(words) AS score
  FROM words w
  JOIN record r ON r.seq = w.rowid
 WHERE words MATCH :match
   AND @filter
 ORDER BY score DESC, w.rowid
 LIMIT :limit;

-- name: matching_code
-- The best of all pieces of code that hold one of the words; the filter comes after.
SELECT rowid, -rank
  FROM code_words
 WHERE code_words MATCH :match
   AND rowid BETWEEN :low AND :high
 ORDER BY rank
 LIMIT :limit;

-- name: matching_code_where
-- The best of the pieces of code that hold one of the words and match the filter.
SELECT w.rowid, -w.rank AS score
  FROM code_words w
  JOIN record r ON r.seq = w.rowid
 WHERE code_words MATCH :match
   AND w.rowid BETWEEN :low AND :high
   AND @filter
 ORDER BY score DESC, w.rowid
 LIMIT :limit;

-- name: code_span
-- Between which numbers the pieces of code of a scope are.
SELECT ( SELECT min(seq) FROM record WHERE kind = 'code' AND scope = :scope )
     , ( SELECT max(seq) FROM record WHERE kind = 'code' AND scope = :scope );

-- name: code_count
-- How many pieces of code a scope has.
SELECT count(*) FROM record WHERE kind = 'code' AND scope = :scope;

-- name: code_frequency_between
-- In how many pieces of code a word is, of those with numbers between two.
SELECT count(*) FROM code_words WHERE code_words MATCH :match AND rowid BETWEEN :low AND :high;

-- name: code_frequency
-- In how many pieces of code a word is.
SELECT doc FROM code_word WHERE term = :term;

-- name: frequency
-- In how many records a word is.
SELECT doc FROM word WHERE term = :term;

-- name: meta
SELECT value FROM meta WHERE key = :key;

-- name: scopes
-- Scopes that were added since.
SELECT id, tenant, user, project FROM scope WHERE id > :after ORDER BY id;

-- name: authors
-- Authors that were added since.
SELECT id, kind, name FROM author WHERE id > :after ORDER BY id;

-- name: types
-- Types that were added since.
SELECT id, name FROM type WHERE id > :after ORDER BY id;

-- name: saying
-- The memories of a scope that have one of these digests and are not closed, with their texts.
SELECT r.seq, c.text
  FROM carray(:digests) d
  CROSS JOIN record r ON r.digest = d.value
  JOIN content c ON c.seq = r.seq
 WHERE r.scope = :scope
   AND r.kind = 'memory'
   AND r.valid_until IS NULL;

-- name: sourced
-- The memories of a scope that are from a source, and few that only look like it.
SELECT r.seq, c.source_ref
  FROM content c
  JOIN record r ON r.seq = c.seq
 WHERE c.source_ref <> ''
   AND c.source_ref >= :source
   AND c.source_ref < :beyond
   AND r.scope = :scope
   AND r.kind = 'memory'
 ORDER BY r.seq;

-- name: earlier
-- The records that match and were made before one, nearest first.
SELECT r.seq
  FROM record r
 WHERE r.seq < :seq
   AND @filter
 ORDER BY r.seq DESC
 LIMIT :limit;

-- name: later
-- The records that match and were made after one, nearest first.
SELECT r.seq
  FROM record r
 WHERE r.seq > :seq
   AND @filter
 ORDER BY r.seq
 LIMIT :limit;

-- name: aged
-- Since when each record that matches is kept.
SELECT r.id, r.scope, c.created_at
  FROM record r
  JOIN content c ON c.seq = r.seq
 WHERE @filter;

-- name: named
-- The entities that have these keys.
SELECT n.key, n.seq
  FROM name n
 WHERE n.scope = :scope
   AND n.key IN (SELECT value FROM carray(:keys));

-- name: keyed
-- The records that have one of these keys and match, oldest first.
SELECT r.seq
  FROM carray(:keys) k
  CROSS JOIN content c ON c.key = k.value AND c.key <> ''
  JOIN record r ON r.seq = c.seq
 WHERE @filter
 ORDER BY r.seq;

-- name: standing
-- Not a statement: the outcomes that none has taken the place of.
FROM record r
  JOIN content c ON c.seq = r.seq
 WHERE r.kind = 'outcome'
   AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.dst = r.seq AND e.type = 'supersedes');

-- name: came
-- What came of decisions.
SELECT c.key, r.type, json_extract(c.facts, '$.stated'), c.confidence, r.event_time
  @standing
   AND @filter
 ORDER BY r.seq;

-- name: came_in
-- The same in one domain, along its index.
SELECT c.key, r.type, json_extract(c.facts, '$.stated'), c.confidence, r.event_time
  @standing
   AND r.type = :type
   AND @filter
 ORDER BY r.seq;

-- name: summed
-- What they come to together.
SELECT count(*), total(c.confidence), total(json_extract(c.facts, '$.stated'))
     , coalesce(max(r.event_time), 0)
  @standing
   AND @filter;

-- name: summed_in
-- The same in one domain, along its index.
SELECT count(*), total(c.confidence), total(json_extract(c.facts, '$.stated'))
     , coalesce(max(r.event_time), 0)
  @standing
   AND r.type = :type
   AND @filter;

-- name: bearing
-- What came of the decisions that are evidence for a record.
SELECT c.key, r.type, json_extract(c.facts, '$.stated'), c.confidence, r.event_time
  FROM record l
  JOIN edge v ON v.dst = l.seq AND v.type = 'evidence_for'
  JOIN record d ON d.seq = v.src AND d.kind = 'decision'
  JOIN content c ON c.key = d.id AND c.key <> ''
  JOIN record r ON r.seq = c.seq AND r.kind = 'outcome'
 WHERE l.id = :id
   AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.dst = r.seq AND e.type = 'supersedes')
 ORDER BY r.seq;

-- name: seqs
-- The numbers of the records with these ids.
SELECT id, seq FROM record WHERE id IN (SELECT value FROM carray(:ids));

-- name: outgoing
-- The edges that leave these records.
SELECT s.id, e.type, d.id, e.created_at, e.valid_from, e.valid_until, e.weight, e.id
  FROM record s
  JOIN edge e ON e.src = s.seq
  JOIN record d ON d.seq = e.dst
 WHERE s.id IN (SELECT value FROM carray(:ids))
   AND (:types IS NULL OR e.type IN (SELECT value FROM json_each(:types)))
 ORDER BY e.src, e.type, e.dst;

-- name: incoming
-- The edges that reach these records.
SELECT s.id, e.type, d.id, e.created_at, e.valid_from, e.valid_until, e.weight, e.id
  FROM record d
  JOIN edge e ON e.dst = d.seq
  JOIN record s ON s.seq = e.src
 WHERE d.id IN (SELECT value FROM carray(:ids))
   AND (:types IS NULL OR e.type IN (SELECT value FROM json_each(:types)))
 ORDER BY e.src, e.type, e.dst;

-- name: edge
-- The edge that a caller drew.
SELECT s.id, e.type, d.id, e.created_at, e.valid_from, e.valid_until, e.weight, e.id
  FROM edge e
  JOIN record s ON s.seq = e.src
  JOIN record d ON d.seq = e.dst
 WHERE e.id = :id;

-- name: arcs
-- The heaviest and newest open edges of a record. A hub has thousands that reach it, so those
-- are cut along their index before they are sorted with the others.
SELECT other, weight
  FROM (SELECT dst AS other, weight, created_at
          FROM edge
         WHERE src = :seq AND valid_until IS NULL
         UNION ALL
        SELECT * FROM (SELECT src, weight, created_at
                         FROM edge
                        WHERE dst = :seq AND valid_until IS NULL
                        ORDER BY weight DESC, created_at DESC, src DESC
                        LIMIT :fanout))
 ORDER BY weight DESC, created_at DESC, other DESC
 LIMIT :fanout;

-- name: versions
-- What a record was before each change.
SELECT v.seq, v.state
  FROM version v
  JOIN record r ON r.seq = v.seq
 WHERE r.id = :id
 ORDER BY v.version;

-- name: events
-- The ledger from a place on.
SELECT seq, at, verb, record, author, detail, seal, hash
  FROM event
 WHERE seq > :after
 ORDER BY seq
 LIMIT :limit;

-- name: events_of
-- The ledger of one record.
SELECT seq, at, verb, record, author, detail, seal, hash
  FROM event
 WHERE record = :record
 ORDER BY seq;

-- name: last_event
SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1;

-- name: kind_counts
-- How many records of each kind there are; the index alone answers.
SELECT kind, count(*) FROM record GROUP BY kind;

-- name: kind_counts_in
-- How many records of each kind are in these scopes.
SELECT kind, count(*)
  FROM record
 WHERE scope IN (SELECT value FROM json_each(:scopes))
 GROUP BY kind;

-- name: relation_count
-- How many relations callers drew in these scopes.
SELECT count(*)
  FROM edge e
  JOIN record s ON s.seq = e.src
 WHERE e.id IS NOT NULL
   AND s.scope IN (SELECT value FROM json_each(:scopes));

-- name: models
SELECT id, name, dimensions, state, held, generation, slots, synced, mark, boot, parts FROM model;

-- name: waiting_count
SELECT count(*) FROM waiting;

-- name: waiting_of
-- How many of the records that match still need a vector.
SELECT count(*)
  FROM waiting w
 CROSS JOIN record r ON r.seq = w.seq
 WHERE @filter;

-- name: anyone_waits
SELECT EXISTS (SELECT 1 FROM waiting);

-- name: waiting
-- The next records that need a vector, oldest first; code, of which there is much, comes last.
SELECT w.seq
  FROM waiting w
  JOIN record r ON r.seq = w.seq
 ORDER BY r.kind = 'code', w.seq
 LIMIT :limit;

-- name: vectors
-- The vectors of these records, without the codes that lie behind them.
SELECT s.value, substr(v.data, 1, :bytes)
  FROM carray(:seqs) s
  JOIN vector v ON v.key = (:model << 40) + s.value;

-- name: senses
-- The vectors of these records, with the codes of their words behind them, and those of passages.
SELECT s.value, v.data, p.data
  FROM carray(:seqs) s
  JOIN vector v ON v.key = (:model << 40) + s.value
  LEFT JOIN part p ON p.key = v.key;

-- name: parts
-- The vectors of the passages of these records, or else their own, without any codes.
SELECT s.value, coalesce(p.data, substr(v.data, 1, :bytes))
  FROM carray(:seqs) s
  JOIN vector v ON v.key = (:model << 40) + s.value
  LEFT JOIN part p ON p.key = v.key;

-- name: speakers
-- Who said these records.
SELECT c.seq, c.speaker
  FROM carray(:seqs) s
 CROSS JOIN content c ON c.seq = s.value
 WHERE c.speaker <> '';

-- name: around
-- The records made next to these in the same session and scope, so many on each side.
SELECT s.value, n.seq
  FROM carray(:seqs) s
  JOIN record r ON r.seq = s.value AND r.session <> ''
  JOIN record n ON n.seq IN
     ( SELECT seq FROM
         ( SELECT b.seq FROM record b
            WHERE b.session = r.session AND b.session <> '' AND b.seq < r.seq
              AND b.scope = r.scope AND b.kind = r.kind
            ORDER BY b.seq DESC LIMIT :reach )
       UNION ALL
       SELECT seq FROM
         ( SELECT a.seq FROM record a
            WHERE a.session = r.session AND a.session <> '' AND a.seq > r.seq
              AND a.scope = r.scope AND a.kind = r.kind
            ORDER BY a.seq LIMIT :reach ) );

-- name: having
-- Of these records, those that have a vector, and how many bytes those of their passages take.
SELECT s.value, coalesce(length(p.data), 0)
  FROM carray(:seqs) s
  JOIN vector v ON v.key = (:model << 40) + s.value
  LEFT JOIN part p ON p.key = v.key;

-- name: still_waiting
-- Of these records, those that wait for a vector.
SELECT s.value
  FROM carray(:seqs) s
  JOIN waiting w ON w.seq = s.value;

-- name: scan_columns
-- Not a statement: what the scan file holds of each vector, or of those of the passages.
r.seq, r.scope, r.kind, r.type, r.valid_from, r.valid_until
     , coalesce(p.data, substr(v.data, 1, 2 * (SELECT dimensions FROM model WHERE id = :model)));

-- name: scan_rows
-- The scan file's columns of all vectors, oldest record first.
SELECT @scan_columns
  FROM vector v
  JOIN record r ON r.seq = v.key - (:model << 40)
  LEFT JOIN part p ON p.key = v.key
 WHERE v.key BETWEEN :model << 40 AND ((:model + 1) << 40) - 1
 ORDER BY v.key;

-- name: scan_rows_of
-- The same of these records.
SELECT @scan_columns
  FROM carray(:seqs) s
  JOIN record r ON r.seq = s.value
  JOIN vector v ON v.key = (:model << 40) + s.value
  LEFT JOIN part p ON p.key = v.key;

-- name: held
-- The records that have a vector, in order, and how many bytes those of their passages take.
SELECT v.key - (:model << 40), coalesce(length(p.data), 0)
  FROM vector v
  LEFT JOIN part p ON p.key = v.key
 WHERE v.key BETWEEN :model << 40 AND ((:model + 1) << 40) - 1
 ORDER BY v.key;

-- name: all_seqs
SELECT seq FROM record ORDER BY seq;

-- name: salts
-- What ties each record to its seals.
SELECT seq, salt FROM content WHERE seq > :after ORDER BY seq LIMIT :limit;

-- name: total
-- How many records there are.
SELECT count(*) FROM record;

-- name: texts
-- What passages are made of.
SELECT c.seq, c.speaker, c.title, c.text
  FROM carray(:seqs) s
  CROSS JOIN content c ON c.seq = s.value;

-- name: tables
-- How much there is in a file that may not be ours.
SELECT count(*) FROM sqlite_schema;

-- name: keys
SELECT id, name, role, tenant, user, digest, created_at, expires_at, revoked_at
  FROM key
 ORDER BY created_at, id;

-- name: key
SELECT id, name, role, tenant, user, digest, created_at, expires_at, revoked_at
  FROM key
 WHERE id = :id;

-- name: done
SELECT key, print, tenant, at, answer FROM done WHERE key = :key;
