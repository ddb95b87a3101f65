"""Draws docs/terminal.svg from the second example of README.md, so that both say the same.

Run from the root: python scripts/picture.py [--check]
"""

from __future__ import annotations

import re
import sys
from html import escape
from pathlib import Path

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "terminal.svg"
LINE, LETTER, EDGE, TOP = 20, 8.4, 18, 44


def main() -> int:
    """Draw the picture, or say whether it is drawn as it should be."""
    drawn = picture(_lines())
    if "--check" not in sys.argv:
        PICTURE.write_text(drawn, "utf-8")
        return 0
    if PICTURE.read_text("utf-8") == drawn:
        return 0
    print(
        "docs/terminal.svg is not what README.md shows; `make docs` draws it anew", file=sys.stderr
    )
    return 1


def _lines() -> list[str]:
    blocks = re.findall(
        r"^```console\n(.*?)^```$",
        (ROOT / "README.md").read_text("utf-8"),
        re.DOTALL | re.MULTILINE,
    )
    return [line for block in blocks[:2] for line in block.rstrip().splitlines()]


def picture(lines: list[str]) -> str:
    """A terminal with these lines in it.

    >>> picture(["$ true"]).count("<text")
    1
    """
    width = max(len(line) for line in lines) * LETTER + 2 * EDGE
    height = TOP + len(lines) * LINE + EDGE
    text = "\n".join(_text(line, TOP + (at + 0.8) * LINE) for at, line in enumerate(lines))
    dots = "".join(
        f'<circle cx="{EDGE + 6 + at * 20}" cy="20" r="6" fill="{colour}"/>'
        for at, colour in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}"'
        f' width="{width:.0f}" height="{height}" role="img">\n'
        f'<rect width="100%" height="100%" rx="10" fill="#1d2026"/>\n{dots}\n'
        '<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14"'
        f' fill="#c9d1d9" xml:space="preserve">\n{text}\n</g>\n</svg>\n'
    )


def _text(line: str, y: float) -> str:
    # What is typed, and what a terminal shows faintly.
    colour = ' fill="#7ee787"' if line.startswith("$ ") else ""
    if re.match(r"(?:\d+\.)? +?[a-z0-9]{20}  ", line):
        colour = ' fill="#8b949e"'
    return f'<text x="{EDGE}" y="{y:.0f}"{colour}>{escape(line, quote=False)}</text>'


if __name__ == "__main__":
    sys.exit(main())
