"""Environment of a runner, with a random length that moves the stack and changes the cache layout.

A fixed environment measures one layout only (Mytkowicz et al., ASPLOS 2009). Because the length is randomized per
execution and stored, the effect becomes part of the dispersion.
"""

from dataclasses import dataclass
from random import Random

MAX_PADDING_BYTES = 4096
"""One page; more padding repeats the same alignments."""
PADDING = "CIPHERMARK_PADDING"
"""Variable that contains the padding."""


@dataclass(frozen=True)
class RunnerEnvironment:
    """Environment of one execution."""

    variables: dict[str, str]
    padding_bytes: int


def draw_environment(random: Random) -> RunnerEnvironment:
    """Return the environment of one execution: no variables of the daemon, and 0 to 4095 bytes of padding."""
    padding_bytes = random.randrange(MAX_PADDING_BYTES)
    return RunnerEnvironment({"LC_ALL": "C", PADDING: "x" * padding_bytes}, padding_bytes)
