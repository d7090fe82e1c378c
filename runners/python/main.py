"""Entry point of the Python provider: stamps its start, then executes the command."""

import time

MAIN_NS = time.clock_gettime_ns(time.CLOCK_MONOTONIC)

import sys  # noqa: E402

from program.entry import execute  # noqa: E402

sys.exit(execute(sys.argv[1:], MAIN_NS))
