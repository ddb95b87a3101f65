"""The ways in to the engine, each of which turns what it is given into ops."""
