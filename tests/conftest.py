"""Settings that all tests share."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# No deadlines: how long an example takes says more about the machine than about the code.
settings.register_profile("dev", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=100, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

# A shell starts what it puts into the background with interrupts ignored, and whatever that starts
# would ignore them as well.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
