"""Executions of several programs: warm-up first, then rounds in random order, until there are enough of them.

Each round executes every program once, in an order drawn from the seed, so that a slow minute hits all of them alike
and comparisons are paired by round. Who says no number gets as many rounds as make every median's interval narrow
enough, within limits; only the width of intervals is looked at, never a difference (statistics/stopping.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from orchestrator.adhoc.command_lines import CommandLine
from orchestrator.adhoc.program import OWN_ENDINGS, TIMEOUT, TOO_MUCH, ProgramCommand
from orchestrator.errors import CommandFailed
from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.statistics.median import relative_interval, summarize
from orchestrator.statistics.stopping import CaseSoFar, judge, round_size
from orchestrator.wire.plans import Precision

Purpose = Literal["warm-up", "timing"]
Stopped = Literal["asked", "precise", "maximum", "budget"]
"""Why there are no more rounds: as many as asked for; all precise enough; the limit of rounds; that of time."""

LEAST_ROUNDS = 10
"""Where nobody says how many."""
_STDERR_LINES = 12
_REMEDIES = {
    TIMEOUT: "--timeout SECONDS gives it longer.",
    TOO_MUCH: "--output-limit allows more; its own options may let it write less, or to a file.",
}


@dataclass(frozen=True)
class Program:
    """One of the programs that are measured."""

    name: str
    line: CommandLine
    command: ProgramCommand


@dataclass(frozen=True)
class SeriesPlan:
    """What is executed, and when it is enough."""

    programs: tuple[Program, ...]
    seed: int
    warm_up_rounds: int
    rounds: int | None
    """None: as many as `precision` takes."""
    precision: Precision
    ignore_failure: bool = False
    """An exit code or signal of the program's own counts as an end like any other."""


@dataclass(frozen=True)
class Execution:
    """One execution of one program."""

    program: int
    """Its place among the programs."""
    purpose: Purpose
    round: int
    """From 1 on, of its purpose."""
    position: int
    """From 0 on, among all executions in the order of time."""
    measurement: Measurement

    @property
    def wall_ns(self) -> int:
        """From spawn to reaping."""
        return int(self.measurement.columns["process_wall_ns"] or 0)


@dataclass(frozen=True)
class Steps:
    """What a series does, one step at a time."""

    prepare: Callable[[], None]
    """Before each execution, untimed."""
    measure: Callable[[ProgramCommand], Measurement]
    tell: Callable[[int, int], None]
    """How many executions are done, and of how many as far as is known."""


@dataclass(frozen=True)
class Series:
    """What was executed, in the order of time."""

    executions: tuple[Execution, ...]
    stopped: Stopped

    def of(self, program: int) -> list[Execution]:
        """Return the timed executions of one program, by round."""
        return [one for one in self.executions if one.program == program and one.purpose == "timing"]


def run_series(plan: SeriesPlan, steps: Steps) -> Series:
    """Execute everything. Raises CommandFailed at the first program that fails."""
    return _Running(plan, steps).run()


class _Running:
    """A series in work."""

    def __init__(self, plan: SeriesPlan, steps: Steps) -> None:
        self._plan, self._steps = plan, steps
        self._random = Random(plan.seed)  # noqa: S311 - an order, not a secret
        self._executions: list[Execution] = []
        self._walls_ns: list[list[int]] = [[] for _ in plan.programs]

    def run(self) -> Series:
        for number in range(self._plan.warm_up_rounds):
            self._round("warm-up", number + 1, self._plan.rounds or LEAST_ROUNDS)
        stopped = self._asked(self._plan.rounds) if self._plan.rounds else self._until_sure()
        return Series(tuple(self._executions), stopped)

    def _asked(self, rounds: int) -> Stopped:
        for number in range(rounds):
            self._round("timing", number + 1, rounds)
        return "asked"

    def _until_sure(self) -> Stopped:
        precision, done, planned = self._plan.precision, 0, min(LEAST_ROUNDS, self._plan.precision.max_repetitions)
        while True:
            while done < planned and not (done >= LEAST_ROUNDS and self._budget_spent(done)):
                done += 1
                self._round("timing", done, planned)
            cases = [self._so_far(program, done) for program in range(len(self._plan.programs))]
            reasons = [judge(case, precision) for case in cases]
            still_open = [case for case, reason in zip(cases, reasons, strict=True) if reason is None]
            if not still_open:
                return next((reason for reason in ("maximum", "budget") if reason in reasons), "precise")
            planned = done + round_size(still_open, precision)

    def _budget_spent(self, done: int) -> bool:
        cases = [self._so_far(program, done) for program in range(len(self._plan.programs))]
        return all(case.process_seconds >= self._plan.precision.seconds_per_case for case in cases)

    def _so_far(self, program: int, done: int) -> CaseSoFar:
        walls_ns = self._walls_ns[program]
        width = relative_interval(summarize(walls_ns))
        return CaseSoFar(program, program, done, len(walls_ns), width, sum(walls_ns) / 1e9)

    def _round(self, purpose: Purpose, number: int, rounds: int) -> None:
        order = list(range(len(self._plan.programs)))
        self._random.shuffle(order)
        for program in order:
            self._execute(program, purpose, number)
            most = (self._plan.warm_up_rounds + rounds) * len(order)
            self._steps.tell(len(self._executions), most)

    def _execute(self, program: int, purpose: Purpose, number: int) -> None:
        self._steps.prepare()
        measured = self._plan.programs[program]
        seen = self._steps.measure(measured.command)
        one = Execution(program, purpose, number, len(self._executions), seen)
        failure = seen.failure
        if failure is not None and not (self._plan.ignore_failure and failure.error in OWN_ENDINGS):
            raise _failed(measured, one)
        self._executions.append(one)
        if purpose == "timing":
            self._walls_ns[program].append(one.wall_ns)


def _failed(program: Program, execution: Execution) -> CommandFailed:
    failure = execution.measurement.failure
    if failure is None:
        raise ValueError("an execution without a failure did not fail")
    when = f"in {'warm-up ' if execution.purpose == 'warm-up' else ''}round {execution.round}"
    if failure.error == "launch-failed":
        return CommandFailed(f"{program.name!r} could not be executed {when}: {failure.detail}")
    remedy = _REMEDIES.get(failure.error, "--ignore-failure goes on all the same, and keeps each exit code.")
    said = last_lines(failure.stderr_tail)
    told = f" It said:\n{said}" if said else " It said nothing on standard error."
    return CommandFailed(
        f"{program.name!r} {failure.detail}, {when}.{told}",
        remedy=remedy,
        exit_code=failure.exit_code,
        signal=failure.signal,
    )


def last_lines(text: str, most: int = _STDERR_LINES) -> str:
    """Return the end of what a program said, as lines that a terminal can show."""
    lines = [line[:500] for line in text.splitlines() if line.strip()][-most:]
    return "\n".join(f"  {''.join(c if c.isprintable() else ' ' for c in line)}" for line in lines)


def names_of(lines: Sequence[CommandLine], given: Sequence[str]) -> list[str]:
    """Return a name for each program: those given, else the command line; equal ones get a number."""
    names = [*given, *(line.text for line in lines[len(given) :])]
    return [
        name if names.count(name) == 1 else f"{name} ({names[: place + 1].count(name)})"
        for place, name in enumerate(names)
    ]
