"""Series of executions of several programs: set-up and warm-up first, then rounds in random order.

Each round executes every program once, in an order drawn from the seed, so that a slow minute affects all of them and
comparisons are paired by round. Without a number of rounds, the series continues within limits until every median's
interval is narrow enough; only the width of intervals decides, never a difference (statistics/stopping.py).
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Literal

from orchestrator.cli.adhoc.command_lines import CommandLine
from orchestrator.cli.adhoc.hooks import HookRunner, Hooks, last_lines, run_each
from orchestrator.cli.adhoc.parameters import Assignment
from orchestrator.cli.adhoc.program import OUTPUT_EXCEEDED, OWN_ENDINGS, TIMEOUT, ProgramCommand
from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.shared.errors import CommandFailed
from orchestrator.statistics.median import relative_interval, summarize
from orchestrator.statistics.stopping import CaseSoFar, judge, round_size

Purpose = Literal["warm-up", "timing"]
Stopped = Literal["requested", "precise", "maximum", "budget"]
"""Why the series ended: the requested number, sufficient precision, the maximum of rounds, or the time budget."""

MIN_ROUNDS = 10
"""Minimum number of rounds if none is requested."""
_REFUSED_BY_AN_OLDER_LAUNCHER = "expected run, cpu"
"""Beginning of the launcher's complaint about a key that it does not know, such as those of --input and --output."""
_REMEDIES = {
    TIMEOUT: "--timeout SECONDS allows more time.",
    OUTPUT_EXCEEDED: "--output-limit allows more; the program may have options to write less, or to a file.",
}


@dataclass(frozen=True)
class SeriesPrecision:
    """Condition at which a series without a number of rounds ends."""

    relative_interval: float
    """Half the width of the 95 % interval of every median, as a share of the median: 0.01 is ± 1 %."""
    max_repetitions: int
    seconds_per_case: float
    """Time of a program's executions after which the series ends without that precision."""


@dataclass(frozen=True)
class MeasuredProgram:
    """Program that is measured."""

    name: str
    line: CommandLine
    command: ProgramCommand
    hooks: Hooks = field(default_factory=Hooks)
    values: Assignment = field(default_factory=dict)
    """Values of the parameters of a scan."""


@dataclass(frozen=True)
class SeriesPlan:
    """Programs of a series and the condition of its end."""

    programs: tuple[MeasuredProgram, ...]
    seed: int
    warm_up_rounds: int
    rounds: int | None
    """Number of rounds; None for as many as `precision` requires."""
    precision: SeriesPrecision
    min_rounds: int = MIN_ROUNDS
    """Minimum number of rounds if `rounds` is None."""
    reference: int | None = None
    """Index of the program with which the others are compared; None: the fastest."""
    control: int | None = None
    """Index of the second copy of the first program, which is compared only with that."""
    shell: int | None = None
    """Index of the empty command line, which measures the start of the shell."""
    ignore_failure: bool = False
    """True to accept exit codes other than 0 and signals as a normal end."""

    @property
    def competing(self) -> int:
        """Number of programs that are compared with each other: the first ones."""
        return len(self.programs) - (self.control is not None) - (self.shell is not None)


@dataclass(frozen=True)
class ProgramExecution:
    """One execution of one program."""

    program: int
    """Index of the program."""
    purpose: Purpose
    round: int
    """Round of its purpose, from 1."""
    position: int
    """Position among all executions in the order of time, from 0."""
    measurement: Measurement

    @property
    def wall_ns(self) -> int:
        """Wall time from spawn to reaping."""
        return int(self.measurement.columns["process_wall_ns"] or 0)


@dataclass(frozen=True)
class Steps:
    """Functions that a series calls."""

    hook: HookRunner
    """Executes a command line around the executions, outside of the measured time."""
    measure: Callable[[ProgramCommand], Measurement]
    report: Callable[[int, int], None]
    """Receives the executions done and their expected total."""


@dataclass(frozen=True)
class ProgramSeries:
    """Executions of a series, in the order of time."""

    executions: tuple[ProgramExecution, ...]
    stopped: Stopped

    def of(self, program: int) -> list[ProgramExecution]:
        """Return the timed executions of one program, by round."""
        return [one for one in self.executions if one.program == program and one.purpose == "timing"]


def run_series(plan: SeriesPlan, steps: Steps) -> ProgramSeries:
    """Execute a series and return its executions; raises CommandFailed at the first failure of a program."""
    return _Running(plan, steps).run()


class _Running:
    """State of a running series."""

    def __init__(self, plan: SeriesPlan, steps: Steps) -> None:
        self._plan, self._steps = plan, steps
        self._random = Random(plan.seed)  # noqa: S311 - an order, not a secret
        self._executions: list[ProgramExecution] = []
        self._walls_ns: list[list[int]] = [[] for _ in plan.programs]

    def run(self) -> ProgramSeries:
        hooks = [program.hooks for program in self._plan.programs]
        cleanup = [one.cleanup for one in hooks]
        try:
            run_each("--setup", [one.setup for one in hooks], self._steps.hook)
            series = self._measure()
        except BaseException:
            with suppress(CommandFailed):  # The first failure is the one to report.
                run_each("--cleanup", cleanup, self._steps.hook)
            raise
        run_each("--cleanup", cleanup, self._steps.hook)
        return series

    def _measure(self) -> ProgramSeries:
        for number in range(self._plan.warm_up_rounds):
            self._round("warm-up", number + 1, self._plan.rounds or self._plan.min_rounds)
        stopped = self._execute_rounds(self._plan.rounds) if self._plan.rounds else self._until_precise()
        return ProgramSeries(tuple(self._executions), stopped)

    def _execute_rounds(self, rounds: int) -> Stopped:
        for number in range(rounds):
            self._round("timing", number + 1, rounds)
        return "requested"

    def _until_precise(self) -> Stopped:
        precision, done = self._plan.precision, 0
        min_rounds = planned = min(self._plan.min_rounds, precision.max_repetitions)
        while True:
            while done < planned and not (done >= min_rounds and self._budget_spent(done)):
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
            total = (self._plan.warm_up_rounds + rounds) * len(order)
            self._steps.report(len(self._executions), total)

    def _execute(self, program: int, purpose: Purpose, number: int) -> None:
        measured = self._plan.programs[program]
        if measured.hooks.prepare is not None:
            self._steps.hook("--prepare", measured.hooks.prepare)
        one = ProgramExecution(program, purpose, number, len(self._executions), self._steps.measure(measured.command))
        failure = one.measurement.failure
        if failure is not None and not (self._plan.ignore_failure and failure.error in OWN_ENDINGS):
            with suppress(CommandFailed):
                self._conclude(measured)
            raise _failed(measured, one)
        self._conclude(measured)
        self._executions.append(one)
        if purpose == "timing":
            self._walls_ns[program].append(one.wall_ns)

    def _conclude(self, program: MeasuredProgram) -> None:
        if program.hooks.conclude is not None:
            self._steps.hook("--conclude", program.hooks.conclude)


def _failed(program: MeasuredProgram, execution: ProgramExecution) -> CommandFailed:
    failure = execution.measurement.failure
    if failure is None:
        raise ValueError("the execution did not fail")
    when = f"in {'warm-up ' if execution.purpose == 'warm-up' else ''}round {execution.round}"
    if failure.error == "launch-failed":
        older = _REFUSED_BY_AN_OLDER_LAUNCHER in failure.detail
        return CommandFailed(
            f"{program.name!r} could not be executed {when}: {failure.detail}",
            remedy="The launcher is that of an older build; 'ciphermark runners build' makes one of this version."
            if older
            else "",
        )
    remedy = _REMEDIES.get(failure.error, "--ignore-failure continues and keeps each exit code.")
    lines = last_lines(failure.stderr_tail)
    output = f" Its standard error ends with:\n{lines}" if lines else " Its standard error is empty."
    if program.command.connected.streams.stderr is not None:
        output = " Its standard error is above."
    return CommandFailed(
        f"{program.name!r} {failure.detail}, {when}.{output}",
        remedy=remedy,
        exit_code=failure.exit_code,
        signal=failure.signal,
    )


def names_of(texts: Sequence[str]) -> list[str]:
    """Return a different name for each program: its text; equal ones are numbered."""
    return [
        text if texts.count(text) == 1 else f"{text} ({texts[: place + 1].count(text)})"
        for place, text in enumerate(texts)
    ]
