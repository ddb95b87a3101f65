"""The way in for the hooks of agents' programs: what they say on standard input, and what they get.

The same for every program that speaks as Claude Code and Codex do: an event as a JSON object, and
text for the model on standard output.
"""
