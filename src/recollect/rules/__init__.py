"""Decisions that need no disk, no clock and no model: what goes in decides what comes out."""
