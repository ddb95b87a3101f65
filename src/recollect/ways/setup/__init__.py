"""Connects clients: says in their settings how the server is started, and takes it out again."""
