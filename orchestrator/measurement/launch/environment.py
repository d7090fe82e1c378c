"""A random length of the runner's environment: it moves the stack, and with it the layout that caches see.

A fixed environment measures one layout and calls it the truth (Mytkowicz et al., ASPLOS 2009). Randomised per
execution and stored, its effect becomes part of the spread.
"""

from dataclasses import dataclass
from random import Random

MAXIMUM_PADDING_BYTES = 4096
"""One page: more of it repeats the same alignments."""
PADDING = "CIPHERMARK_PADDING"
"""The variable that holds it."""


@dataclass(frozen=True)
class RunnerEnvironment:
    """The whole environment of one execution."""

    variables: dict[str, str]
    padding_bytes: int


def draw_environment(random: Random) -> RunnerEnvironment:
    """Draw the environment of one execution: nothing of the daemon's own, and 0 to 4095 bytes of padding."""
    padding_bytes = random.randrange(MAXIMUM_PADDING_BYTES)
    return RunnerEnvironment({"LC_ALL": "C", PADDING: "x" * padding_bytes}, padding_bytes)
