-- The first shape of the file. Times are microseconds since 1970, UTC.

-- What the whole file shares: its own id, the analyser's version, sums that BM25 needs.
CREATE TABLE meta
( key   TEXT PRIMARY KEY
, value ANY NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO meta (key, value)
VALUES ('id', lower(hex(randomblob(16)))), ('analyser', 1), ('next', 1), ('models', 0)
     , ('documents', 0), ('length', 0);

-- Few and never changed, so that records and the scan file can name them by a number.
CREATE TABLE scope
( id      INTEGER PRIMARY KEY
, tenant  TEXT NOT NULL
, user    TEXT NOT NULL
, project TEXT NOT NULL
, UNIQUE (tenant, user, project)
) STRICT;

CREATE TABLE author
( id   INTEGER PRIMARY KEY
, kind TEXT NOT NULL CHECK (kind IN ('human', 'agent'))
, name TEXT NOT NULL
, UNIQUE (kind, name)
) STRICT;

CREATE TABLE type
( id   INTEGER PRIMARY KEY
, name TEXT NOT NULL UNIQUE
) STRICT;

-- What reads filter by. Narrow, because a word search looks up thousands of these.
CREATE TABLE record
( seq         INTEGER PRIMARY KEY
, id          TEXT NOT NULL UNIQUE
, kind        TEXT NOT NULL
, scope       INTEGER NOT NULL REFERENCES scope (id)
, type        INTEGER NOT NULL REFERENCES type (id)
, status      TEXT NOT NULL
, valid_from  INTEGER NOT NULL
, valid_until INTEGER CHECK (valid_until IS NULL OR valid_from <= valid_until)
, event_time  INTEGER NOT NULL
, session     TEXT NOT NULL
, version     INTEGER NOT NULL CHECK (version >= 1)
, digest      INTEGER NOT NULL
, length      INTEGER NOT NULL
) STRICT;

CREATE INDEX record_by_kind ON record (kind);
CREATE INDEX record_by_digest ON record (digest);
CREATE INDEX record_by_session ON record (session) WHERE session <> '';

-- What reads answer with. `salt` ties the ledger's seals to the record and goes with it.
CREATE TABLE content
( seq        INTEGER PRIMARY KEY REFERENCES record (seq) ON DELETE CASCADE
, text       TEXT NOT NULL
, title      TEXT NOT NULL
, key        TEXT NOT NULL
, author     INTEGER NOT NULL REFERENCES author (id)
, created_at INTEGER NOT NULL
, updated_at INTEGER NOT NULL
, confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1)
, importance REAL NOT NULL
, source     TEXT NOT NULL
, source_ref TEXT NOT NULL
, speaker    TEXT NOT NULL
, metadata   TEXT NOT NULL
, salt       BLOB NOT NULL
) STRICT;

-- Which entity a name means, for one tenant and user.
CREATE TABLE name
( scope INTEGER NOT NULL REFERENCES scope (id)
, key   TEXT NOT NULL
, seq   INTEGER NOT NULL REFERENCES record (seq) ON DELETE CASCADE
, PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX name_by_record ON name (seq);

-- What a record was before each change, whole, so that a past state needs no replay.
CREATE TABLE version
( seq     INTEGER NOT NULL REFERENCES record (seq) ON DELETE CASCADE
, version INTEGER NOT NULL
, state   TEXT NOT NULL
, PRIMARY KEY (seq, version)
) STRICT, WITHOUT ROWID;

-- When a record was last returned. Apart, so that a read never rewrites the record.
CREATE TABLE access
( seq INTEGER PRIMARY KEY REFERENCES record (seq) ON DELETE CASCADE
, at  INTEGER NOT NULL
) STRICT;

CREATE TABLE edge
( src         INTEGER NOT NULL REFERENCES record (seq) ON DELETE CASCADE
, type        TEXT NOT NULL
, dst         INTEGER NOT NULL REFERENCES record (seq) ON DELETE CASCADE
, weight      REAL NOT NULL
, created_at  INTEGER NOT NULL
, valid_from  INTEGER NOT NULL
, valid_until INTEGER CHECK (valid_until IS NULL OR valid_from <= valid_until)
, id          TEXT
, PRIMARY KEY (src, type, dst)
, CHECK (type <> 'supersedes' OR src <> dst)
) STRICT, WITHOUT ROWID;

CREATE INDEX edge_into ON edge (dst, weight, created_at, src);
CREATE UNIQUE INDEX edge_by_id ON edge (id) WHERE id IS NOT NULL;
CREATE UNIQUE INDEX edge_superseded_once ON edge (dst) WHERE type = 'supersedes';

-- The words of every record that is searched, as our own analyser made them. No text is kept
-- here, and `secure-delete` takes a deleted record's words out of the index at once.
CREATE VIRTUAL TABLE words USING fts5 (tokens, content = '', tokenize = 'ascii');
INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE word USING fts5vocab (words, 'row');

-- One model serves; a second one may be coming. Of its scan file the first `slots` count, `synced`
-- of them are known to be on the disk since the machine's run `boot`, and `mark` is the last
-- transaction that changed it. `held` is how many vectors there are.
CREATE TABLE model
( id         INTEGER PRIMARY KEY
, name       TEXT NOT NULL
, dimensions INTEGER NOT NULL
, state      TEXT NOT NULL CHECK (state IN ('serving', 'coming')) UNIQUE
, held       INTEGER NOT NULL
, generation INTEGER NOT NULL
, slots      INTEGER NOT NULL
, synced     INTEGER NOT NULL
, mark       INTEGER NOT NULL
, boot       TEXT NOT NULL
) STRICT;

-- Half-precision vectors. The key is the model's number times 2^40 and the record's, in one number
-- because only then do the tree's inner pages hold no vectors.
-- No foreign keys: a cascade from `record` would need an index as large as a tenth of this.
CREATE TABLE vector
( key  INTEGER PRIMARY KEY
, data BLOB NOT NULL
) STRICT;

-- Records that have no vector yet of the model that is being filled.
CREATE TABLE waiting
( seq INTEGER PRIMARY KEY REFERENCES record (seq) ON DELETE CASCADE
) STRICT;

-- The ledger. `hash` chains each entry to the one before it.
CREATE TABLE event
( seq    INTEGER PRIMARY KEY
, at     INTEGER NOT NULL
, verb   TEXT NOT NULL
, record TEXT NOT NULL
, author INTEGER NOT NULL REFERENCES author (id)
, detail TEXT NOT NULL
, seal   TEXT NOT NULL
, hash   TEXT NOT NULL
) STRICT;

CREATE INDEX event_by_record ON event (record);

CREATE TRIGGER event_is_never_updated BEFORE UPDATE ON event
BEGIN SELECT RAISE (ABORT, 'the ledger is never updated'); END;

CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
BEGIN SELECT RAISE (ABORT, 'the ledger is never shortened'); END;

CREATE TRIGGER record_keeps_its_id_and_kind BEFORE UPDATE OF id, kind ON record
WHEN old.id <> new.id OR old.kind <> new.kind
BEGIN SELECT RAISE (ABORT, 'a record keeps its id and kind for life'); END;
