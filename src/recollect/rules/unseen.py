"""Characters that nobody sees, or that steer what shows them: which there are, and of what sort.

Each place leaves out or spells out the sorts that do harm there. Joiners belong to emoji and to
some scripts, and marks of direction to others, so they are sorts of their own.
"""

from __future__ import annotations

# But for tabs and ends of lines.
CONTROLS = (*(code for code in range(32) if chr(code) not in "\t\n"), *range(0x7F, 0xA0))
# The direction of all that follows: embeddings, overrides and isolates.
TURNING = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
# The direction of what is beside them.
MARKS = (0x061C, 0x200E, 0x200F)
# Ends of lines that do not look like any.
LINES = (0x2028, 0x2029)
WIDTHLESS = (0x200B, *range(0x2060, 0x2066), *range(0x206A, 0x2070), 0xFEFF)
JOINERS = (0x200C, 0x200D)
# A second alphabet, in which a whole text can be written that is not drawn.
TAGS = tuple(range(0xE0000, 0xE0080))


def any_of(*sorts: tuple[int, ...]) -> str:
    """A class of characters for a pattern.

    >>> any_of((65, 66), (67,))
    '[ABC]'
    """
    return f"[{''.join(chr(code) for sort in sorts for code in sort)}]"
