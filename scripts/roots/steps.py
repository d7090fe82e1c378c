"""The steps of a trial: executed in order, timed, and printed as a table."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from scripts.roots.machines import TrialError

_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Step:
    """A finished step: name, duration in seconds, and whether it succeeded."""

    name: str
    seconds: float
    succeeded: bool


@dataclass
class Steps:
    """The steps of one trial; each has a log of its own."""

    title: str
    folder: Path  # of the logs; made here
    clock: Callable[[], float] = time.monotonic
    done: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for old in self.folder.glob("*.log"):
            old.unlink()

    @contextmanager
    def step(self, name: str) -> Iterator[Path]:
        """Time a step and record its result; yields the path of its log."""
        print(f"… {shortened(name, 110)}", flush=True)
        start = self.clock()
        succeeded = False
        try:
            yield self.folder / f"{len(self.done) + 1:02}.log"
            succeeded = True
        finally:
            self.done.append(Step(name, self.clock() - start, succeeded))

    def table(self) -> str:
        """Return the steps with their times, as a table for a terminal."""
        rows = [f"{self.title}", ""]
        for number, step in enumerate(self.done, start=1):
            result = "" if step.succeeded else "   FAILED"
            rows.append(f"{number:3}  {step.seconds:8.1f} s  {shortened(step.name, 100)}{result}")
        rows.append(f"     {sum(step.seconds for step in self.done):8.1f} s  in all")
        return "\n".join(rows)


def shortened(text: str, width: int) -> str:
    """Return a text as one line of at most `width` characters."""
    line = " ".join(text.replace("\\\n", " ").split())
    return line if len(line) <= width else f"{line[: width - 1]}…"


def wait_for(check: Callable[[], _Value | None], seconds: float, what: str) -> _Value:
    """Return the first true value of a check; raises TrialError when there is none within the time."""
    deadline = time.monotonic() + seconds
    while True:
        value = check()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TrialError(f"{what} was not seen within {seconds:.0f} s.")
        time.sleep(0.2)
