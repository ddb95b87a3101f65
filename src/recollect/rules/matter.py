"""What a question is about, without how it is asked.

"How many weeks ago did I buy the bike?" is about a bike. The other words are in many texts that
tell of something else, and a text that tells of the bike may have none of them.
"""

from __future__ import annotations

import re

_UNIT = "(?:days?|weeks?|months?|years?|hours?|minutes?|times)"
_NUMBER = (
    r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|couple(?: of)?|few)"
)
_QUANTITY = rf"\bhow (?:many|much|long|often|old|far)\b(?: (?:more|total|different))?(?: {_UNIT})?"
_SINCE = " (?:(?:have |had )?passed|ago|before|after|since|between|d(?:id|oes) it take)"
_asking = re.compile(
    "|".join(
        (
            f"{_QUANTITY}(?:{_SINCE})?",
            rf"\b(?:{_NUMBER} )?{_UNIT} ago\b",
            rf"\b(?:in|over|during|for|within) the (?:past|last) (?:{_NUMBER} )?{_UNIT}\b",
            r"\b(?:last|past|this|previous) (?:week|month|year|weekend)\b",
            r"\bin total\b|\baltogether\b|\bcombined\b|\btotal\b",
            r"\b(?:total )?(?:number|amount) of\b",
            r"\bthe order of\b|\bfrom (?:first|earliest) to (?:last|latest)\b|\bhappened first\b",
            r"\b(?:can|could|would) you(?: please)?(?: (?:remind|tell) me)?\b|\bremind me\b",
            r"\bplease\b|\bi was (?:wondering|thinking)\b|\bdo you (?:remember|have|know)\b",
            r"\bany (?:tips|suggestions|advice|recommendations|ideas)\b",
            r"\bwhat (?:(?:kind|type|sort) of|time|day|date)\b|\bcurrently\b",
        )
    ),
    re.IGNORECASE,
).sub


def matter(question: str) -> str:
    """The question without how it is asked; all of it where nothing else is left.

    >>> matter("How many weeks ago did I buy the bike?")
    'did I buy the bike?'
    >>> matter("how long?")
    'how long?'
    """
    left = " ".join(_asking(" ", question).split())
    return left if any(map(str.isalnum, left)) else question
