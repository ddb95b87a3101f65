-- Who may come in over the network, or with a secret. Of the secret only its hash is here.
CREATE TABLE key
( id         TEXT PRIMARY KEY
, name       TEXT NOT NULL
, role       TEXT NOT NULL CHECK (role IN ('viewer', 'agent', 'admin'))
, tenant     TEXT NOT NULL
, user       TEXT NOT NULL
, digest     TEXT NOT NULL
, created_at INTEGER NOT NULL
, expires_at INTEGER
, revoked_at INTEGER
) STRICT, WITHOUT ROWID;
