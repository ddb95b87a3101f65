-- A project's pieces of code lie together, so a search in one reads only that part of the words.
CREATE INDEX record_of_code ON record (scope, seq) WHERE kind = 'code';
