-- Requests that came with a key of their own, so that one that is sent again is not done again: by
-- digest of who sent it and its key, a digest of what it asked for, and what was answered, which is
-- empty where that is not to be kept.
CREATE TABLE done
( key    TEXT PRIMARY KEY
, print  TEXT NOT NULL
, tenant TEXT NOT NULL
, at     INTEGER NOT NULL
, answer TEXT NOT NULL
) STRICT;

CREATE INDEX done_by_time ON done (at);
