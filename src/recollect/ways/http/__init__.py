"""The way in over HTTP: one process that any number of clients share."""
