"""Where the command starts. Answers `--version` itself, before anything heavy is imported."""

from __future__ import annotations

import sys

from recollect._version import __version__


def main(argv: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = sys.argv[1:] if argv is None else argv
    if given in (["--version"], ["-V"]):
        print(f"recollect {__version__}")
        return 0
    from recollect.ways import cli

    return cli.main(given)


if __name__ == "__main__":
    sys.exit(main())
