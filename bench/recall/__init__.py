"""How well things are found: `make bench-recall`."""
