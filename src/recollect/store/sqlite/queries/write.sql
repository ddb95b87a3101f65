-- name: set_meta
INSERT INTO meta (key, value) VALUES (:key, :value)
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: add_meta
-- Move a sum by what a plan adds to it.
UPDATE meta SET value = value + :value WHERE key = :key;

-- name: insert_scope
INSERT INTO scope (tenant, user, project) VALUES (:tenant, :user, :project);

-- name: insert_author
INSERT INTO author (kind, name) VALUES (:kind, :name);

-- name: insert_type
INSERT INTO type (name) VALUES (:name);

-- name: drop_scope
-- Take out a scope that nothing is in any more. What is used is mostly found near the end, where
-- EXISTS would not begin.
DELETE FROM scope
 WHERE id = :id
   AND (SELECT seq FROM record WHERE scope = :id ORDER BY seq DESC LIMIT 1) IS NULL
   AND NOT EXISTS (SELECT 1 FROM name WHERE scope = :id);

-- name: drop_type
-- The same of a type that nothing has any more.
DELETE FROM type
 WHERE id = :id
   AND (SELECT seq FROM record WHERE type = :id ORDER BY seq DESC LIMIT 1) IS NULL;

-- name: names_went
-- Numbers of names may mean others from now on; who remembers some has to look again.
INSERT INTO meta (key, value) VALUES ('names', 1)
ON CONFLICT (key) DO UPDATE SET value = value + 1;

-- name: insert_record
INSERT INTO record (seq, id, kind, scope, type, status, valid_from, valid_until, event_time
                  , session, version, digest, length)
VALUES (:seq, :id, :kind, :scope, :type, :status, :valid_from, :valid_until, :event_time
      , :session, :version, :digest, :length);

-- name: insert_content
INSERT INTO content (seq, text, title, key, author, created_at, updated_at, confidence, importance
                   , source, source_ref, speaker, metadata, facts, salt)
VALUES (:seq, :text, :title, :key, :author, :created_at, :updated_at, :confidence, :importance
      , :source, :source_ref, :speaker, :metadata, :facts, :salt);

-- name: update_record
-- Write a record back. That it is still at the version that was read, the caller has seen in
-- this transaction.
UPDATE record
   SET scope = :scope
     , type = :type
     , status = :status
     , valid_from = :valid_from
     , valid_until = :valid_until
     , event_time = :event_time
     , session = :session
     , version = :version
     , digest = :digest
     , length = :length
 WHERE seq = :seq;

-- name: update_content
UPDATE content
   SET text = :text
     , title = :title
     , key = :key
     , author = :author
     , created_at = :created_at
     , updated_at = :updated_at
     , confidence = :confidence
     , importance = :importance
     , source = :source
     , source_ref = :source_ref
     , speaker = :speaker
     , metadata = :metadata
     , facts = :facts
 WHERE seq = :seq;

-- name: salt
SELECT salt FROM content WHERE seq = :seq;

-- name: insert_version
INSERT INTO version (seq, version, state) VALUES (:seq, :version, :state);

-- name: insert_name
INSERT INTO name (scope, key, seq) VALUES (:scope, :key, :seq);

-- name: delete_names
DELETE FROM name WHERE seq = :seq;

-- name: delete_record
-- What belongs to the record alone goes with it by the schema.
DELETE FROM record WHERE seq = :seq;

-- name: insert_words
INSERT INTO words (rowid, tokens) VALUES (:seq, :tokens);

-- name: delete_words
-- The index keeps no text, so it has to be told the words that it is to forget.
INSERT INTO words (words, rowid, tokens) VALUES ('delete', :seq, :tokens);

-- name: insert_code_words
INSERT INTO code_words (rowid, name, path, doc, body) VALUES (:seq, :name, :path, :doc, :body);

-- name: delete_code_words
INSERT INTO code_words (code_words, rowid, name, path, doc, body)
VALUES ('delete', :seq, :name, :path, :doc, :body);

-- name: clear_code_words
INSERT INTO code_words (code_words) VALUES ('delete-all');

-- name: link
-- Drawing an edge again gives it the new weight and end; when it began stays.
INSERT INTO edge (src, type, dst, weight, created_at, valid_from, valid_until, id)
VALUES (:src, :type, :dst, :weight, :created_at, :valid_from, :valid_until, :id)
ON CONFLICT (src, type, dst) DO UPDATE
   SET weight = excluded.weight
     , valid_until = excluded.valid_until
     , id = coalesce(id, excluded.id);

-- name: unlink
DELETE FROM edge WHERE src = :src AND type = :type AND dst = :dst;

-- name: superseder
-- What took the place of a record.
SELECT src FROM edge WHERE dst = :dst AND type = 'supersedes';

-- name: insert_event
INSERT INTO event (seq, at, verb, record, author, detail, seal, hash)
VALUES (:seq, :at, :verb, :record, :author, :detail, :seal, :hash);

-- name: keep_key
INSERT OR REPLACE INTO key (id, name, role, tenant, user, digest, created_at, expires_at, revoked_at)
VALUES (:id, :name, :role, :tenant, :user, :digest, :created_at, :expires_at, :revoked_at);

-- name: keep_done
INSERT OR REPLACE INTO done (key, print, tenant, at, answer)
VALUES (:key, :print, :tenant, :at, :answer);

-- name: drop_done
-- Forget what is too old, and all but so many of the newest.
DELETE FROM done
 WHERE at < :before
    OR rowid IN (SELECT rowid FROM done ORDER BY at DESC LIMIT -1 OFFSET :most);

-- name: unsay
-- Keep that requests were carried out, and no longer what was answered.
UPDATE done SET answer = '' WHERE tenant = :tenant AND answer <> '';

-- name: forget_done
DELETE FROM done WHERE tenant = :tenant;

-- name: touch
INSERT INTO access (seq, at)
SELECT s.value, :at FROM carray(:seqs) s CROSS JOIN record r ON r.seq = s.value
 WHERE true
ON CONFLICT (seq) DO UPDATE SET at = excluded.at;

-- name: insert_access
INSERT INTO access (seq, at) VALUES (:seq, :at);

-- name: insert_model
INSERT INTO model (id, name, dimensions, state, held, generation, slots, synced, mark, boot)
VALUES (:id, :name, :dimensions, :state, 0, 0, 0, 0, 0, '');

-- name: update_scan
UPDATE model
   SET generation = :generation
     , slots = :slots
     , synced = :synced
     , mark = :mark
     , boot = :boot
 WHERE id = :id;

-- name: hold
-- Note that so many more vectors are held, and so many more of passages.
UPDATE model SET held = held + :more, parts = parts + :parts WHERE id = :id;

-- name: serve_model
UPDATE model SET state = 'serving' WHERE id = :id;

-- name: delete_model
DELETE FROM model WHERE id = :id;

-- name: insert_vector
INSERT INTO vector (key, data) VALUES (:key, :data)
ON CONFLICT (key) DO UPDATE SET data = excluded.data;

-- name: insert_part
-- The vectors of a long text's passages.
INSERT INTO part (key, data) VALUES (:key, :data);

-- name: delete_part
DELETE FROM part WHERE key = :key;

-- name: delete_parts
DELETE FROM part WHERE key BETWEEN :model << 40 AND ((:model + 1) << 40) - 1;

-- name: delete_vectors
DELETE FROM vector WHERE key BETWEEN :model << 40 AND ((:model + 1) << 40) - 1;

-- name: delete_vector
DELETE FROM vector WHERE key = :key;

-- name: wait
INSERT OR IGNORE INTO waiting (seq) VALUES (:seq);

-- name: wait_all
-- Everything that is searched and has no vector of this model.
INSERT OR IGNORE INTO waiting (seq)
SELECT r.seq FROM record r
 WHERE r.kind NOT IN ('entity', 'source')
   AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.key = (:model << 40) + r.seq);

-- name: waits_no_more
DELETE FROM waiting WHERE seq = :seq;

-- name: empty_waiting
DELETE FROM waiting;

-- name: set_length
UPDATE record SET length = :length WHERE seq = :seq;

-- name: clear_words
INSERT INTO words (words) VALUES ('delete-all');

-- name: clear_vectors
DELETE FROM vector;

-- name: clear_parts
DELETE FROM part;

-- name: clear_slots
-- No slot counts any more; the next vectors start a new file.
UPDATE model
   SET held = 0, parts = 0, generation = generation + 1, slots = 0, synced = 0, mark = 0, boot = '';

-- name: clear_records
DELETE FROM record;

-- name: tenant_seqs
SELECT seq FROM record WHERE scope IN (SELECT value FROM json_each(:scopes)) ORDER BY seq;

-- name: people_decided
-- What people decided in these scopes.
SELECT r.seq
  FROM record r
  JOIN content c ON c.seq = r.seq
  JOIN author a ON a.id = c.author
 WHERE r.kind = 'decision'
   AND a.kind = 'human'
   AND r.scope IN (SELECT value FROM json_each(:scopes));
