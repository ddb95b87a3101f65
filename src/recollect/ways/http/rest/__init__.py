"""The way in for people and scripts: one route for each op, all of them in one table."""
