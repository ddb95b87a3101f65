"""Where the bundle starts: the server on standard input and output, and nothing else."""

from __future__ import annotations

import sys

from recollect.__main__ import main

if __name__ == "__main__":
    sys.exit(main(["serve", *sys.argv[1:]]))
