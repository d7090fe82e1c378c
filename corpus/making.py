"""Program that makes chunks of one kind for the scheduler: ``python -m corpus.making FOLDER KIND SIZE_BYTES…``

It uses installed packages only and runs at a low priority. Each step is one JSON line on standard output:
``done_bytes`` and ``total_bytes``, or ``error`` with the reason. It ends when nothing reads its output any more.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from corpus.builder import build
from corpus.material import BuildStep
from orchestrator.shared.errors import CiphermarkError

NICENESS = 10
"""Niceness of the process and of the encoder that it starts: a measurement on the same machine comes first."""


def main(arguments: Sequence[str]) -> int:
    """Make the chunks; return 1 if that was not possible."""
    folder, kind, *sizes = arguments
    os.nice(NICENESS)
    try:
        build(Path(folder), [int(size) for size in sizes], [kind], download=False, progress=_print_step)
    except CiphermarkError as error:
        _print(error=str(error))
        return 1
    return 0


def _print_step(step: BuildStep) -> None:
    if step.step == "making":
        _print(done_bytes=step.done_bytes, total_bytes=step.total_bytes)


def _print(**values: object) -> None:
    sys.stdout.write(json.dumps(values) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
