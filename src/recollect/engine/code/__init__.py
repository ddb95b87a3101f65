"""Code: which files there are, their index, and finding in it."""
