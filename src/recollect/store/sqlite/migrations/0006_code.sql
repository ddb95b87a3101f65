-- Code is found by an index of its own: what a piece is called weighs more than where it is, that
-- more than what is said over it, and that more than what it consists of. No text is kept here.
CREATE VIRTUAL TABLE code_words USING fts5 (name, path, doc, body, content = '', tokenize = 'ascii');
INSERT INTO code_words (code_words, rank) VALUES ('secure-delete', 1);
INSERT INTO code_words (code_words, rank) VALUES ('rank', 'bm25(8.0, 3.0, 2.0, 1.0)');
CREATE VIRTUAL TABLE code_word USING fts5vocab (code_words, 'row');
INSERT INTO meta (key, value) VALUES ('code_documents', 0);
