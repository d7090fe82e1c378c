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


def requests_of_role(roles: int) -> list[str]:
    """Return the options of Schemathesis that limit the requests of one of several roles.

    In the test suite each operation gets one, the same each time: in some seconds a busy machine tests five of 98.
    """
    if not SECONDS:
        return ["--phases", "fuzzing", "--max-examples", "1", "--seed", "1"]
    return ["--max-time", str(max(4, round(SECONDS / 2 / roles)))]
