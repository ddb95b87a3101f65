-- What came from one document is looked up whenever the document is read again.
CREATE INDEX content_by_source ON content (source_ref) WHERE source_ref <> '';
