"""Time limits of fuzz tests: short in the test suite, longer in ``make fuzz TIME=…``."""

import os

from hypothesis import settings

SECONDS = float(os.environ.get("CIPHERMARK_FUZZ_SECONDS", "0"))
"""Seconds for all Python targets together; 0 in the test suite."""
EXAMPLES_PER_SECOND = 10
"""Examples of one test that Hypothesis makes and executes in a second, at the least (2-core VM, 2026-11)."""


def max_examples(tests: int) -> int:
    """Return the number of examples for one of several tests that share the time; Hypothesis counts no seconds."""
    return max(settings.default.max_examples, round(SECONDS / 2 / tests * EXAMPLES_PER_SECOND))


def seconds_per_role(roles: int) -> int:
    """Return the seconds for the requests of one role."""
    return max(4, round(SECONDS / 2 / roles))
