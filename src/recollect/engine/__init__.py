"""Carries out each op: embed, read, decide, apply."""
