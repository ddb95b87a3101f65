"""Settings that all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# No deadlines: how long an example takes says more about the machine than about the code.
settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=100, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
