"""The throughputs of one run as arrays: candidates × blocks × inputs. Comparisons, charts and tables start here.

A candidate is what one chooses between on one agent: an implementation of one build. An input is a chunk. Only ``ok``
executions are in the arrays; what is wrong is never fast.
"""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Case, CaseSummary
from orchestrator.results import repository
from orchestrator.results.summaries import NS_PER_SECOND
from orchestrator.statistics.paired import Floats

Measure = Literal["encrypt", "pass"]
"""encrypt: input bytes / the encrypt phase; pass: input bytes / work_wall_ns, the price of the process included."""


@dataclass(frozen=True, order=True)
class Candidate:
    """An implementation of one build on one agent."""

    agent_id: str
    provider: str
    algorithm: str
    variant: str
    build_id: int


@dataclass(frozen=True, order=True)
class Input:
    """A chunk."""

    length_bytes: int
    kind: str
    input_sha256: str


@dataclass
class Counts:
    """How the executions of a candidate ended."""

    ok: int = 0
    failed: int = 0
    wrong: int = 0
    disputed: int = 0
    skipped: int = 0
    disturbed: int = 0

    def add(self, summary: CaseSummary) -> None:
        """Count the executions of one more case."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(summary, name))


@dataclass
class CandidateReadings:
    """Everything that one candidate showed in one run; bytes per second, shape (blocks,) for each input."""

    counts: Counts = field(default_factory=Counts)
    peak_rss_bytes: list[float] = field(default_factory=list)
    """Medians of its cases."""
    encrypt: dict[Input, Floats] = field(default_factory=dict)
    whole_pass: dict[Input, Floats] = field(default_factory=dict)

    def of(self, measure: Measure) -> dict[Input, Floats]:
        """Return the throughputs by the phase that they are measured over; NaN where a block has none."""
        return self.encrypt if measure == "encrypt" else self.whole_pass

    def matrix(self, measure: Measure, inputs: list[Input]) -> Floats:
        """Return throughputs of shape (blocks, inputs), NaN where there is no ok execution."""
        return stacked(self.of(measure), inputs)


@dataclass(frozen=True)
class RunReadings:
    """All candidates of a run; blocks are the repetitions of which anything is ok, ascending."""

    blocks: tuple[int, ...]
    candidates: dict[Candidate, CandidateReadings]

    def of_agent(self, agent_id: str) -> dict[Candidate, CandidateReadings]:
        """Return the candidates of one agent: across agents nothing is paired."""
        return {candidate: one for candidate, one in self.candidates.items() if candidate.agent_id == agent_id}

    def agent_ids(self) -> list[str]:
        """Return the agents of the run."""
        return sorted({candidate.agent_id for candidate in self.candidates})


def load(session: Session, run_id: str, with_disturbed: bool = True) -> RunReadings:
    """Read a run's throughputs from the database."""
    times = _Times.of(repository.ok_times(session, run_id, with_disturbed))
    candidates: dict[Candidate, CandidateReadings] = defaultdict(CandidateReadings)
    for case, summary, _ in repository.cases_of_run(session, run_id):
        readings = candidates[_candidate(case)]
        if summary is not None:
            readings.counts.add(summary)
            if summary.median_peak_rss_bytes is not None:
                readings.peak_rss_bytes.append(summary.median_peak_rss_bytes)
        readings.encrypt[_input(case)], readings.whole_pass[_input(case)] = times.throughputs(case)
    return RunReadings(times.blocks, dict(candidates))


@dataclass(frozen=True)
class _Times:
    """All ok executions of a run, sorted by case; whole arrays at once, as there may be a million."""

    blocks: tuple[int, ...]
    places: NDArray[np.intp]  # of each execution among the blocks
    walls_ns: Floats  # shape (executions, 2): encrypt, work; NaN where it was not timed
    rows_of_case: dict[int, slice]

    @classmethod
    def of(cls, rows: Sequence[repository.OkTime]) -> "_Times":
        """Sort the rows; None becomes NaN."""
        table = np.array(rows, dtype=np.float64).reshape(-1, 4)
        table = table[np.argsort(table[:, 0], kind="stable")]
        blocks, places = np.unique(table[:, 1], return_inverse=True)
        case_ids, starts = np.unique(table[:, 0], return_index=True)
        ends = np.append(starts[1:], len(table))[: len(starts)]
        slices = {int(case_id): slice(*limits) for case_id, *limits in zip(case_ids, starts, ends, strict=True)}
        # A phase of 0 ns is shorter than the clock can show: no throughput, not an infinite one.
        walls_ns = np.where(table[:, 2:] > 0, table[:, 2:], np.nan)
        return cls(tuple(int(block) for block in blocks), places, walls_ns, slices)

    def throughputs(self, case: Case) -> Floats:
        """Return bytes per second of a case, shape (2, blocks): encrypt, pass; NaN where nothing is ok."""
        throughputs = np.full((2, len(self.blocks)), np.nan)
        rows = self.rows_of_case.get(case.id)
        if rows is not None:
            throughputs[:, self.places[rows]] = case.message_bytes * NS_PER_SECOND / self.walls_ns[rows].T
        return throughputs


def _candidate(case: Case) -> Candidate:
    return Candidate(case.agent_id, case.provider, case.algorithm, case.variant, case.build_id)


def _input(case: Case) -> Input:
    return Input(case.message_bytes, case.input_kind or "", case.input_sha256 or "")


def stacked(throughputs: Mapping[Input, Floats], inputs: Sequence[Input]) -> Floats:
    """Return throughputs of shape (blocks, inputs), NaN where there is no ok execution."""
    return np.stack([throughputs[one] for one in inputs], axis=1)


class ReadingsCache:
    """Readings of the runs asked for last: a page is loaded many times, a run of 100 000 executions read once.

    An entry counts as long as no execution of the run was stored or marked again. Safe to use from several threads.
    """

    def __init__(self, database: Database, runs: int = 8) -> None:
        """Keep up to `runs` runs of this database."""
        self._database = database
        self._runs = runs
        self._entries: OrderedDict[tuple[str, bool], tuple[tuple[int, ...], RunReadings]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, run_id: str, with_disturbed: bool = True) -> tuple[tuple[int, ...], RunReadings]:
        """Return a run's readings as they are now, and the stamp that changes when they do."""
        with self._lock, self._database.read() as session:
            stamp = repository.stamp(session, run_id)
            key = (run_id, with_disturbed)
            entry = self._entries.get(key)
            if entry is None or entry[0] != stamp:
                entry = (stamp, load(session, run_id, with_disturbed))
            self._entries[key] = entry
            self._entries.move_to_end(key)
            while len(self._entries) > self._runs:
                self._entries.popitem(last=False)
            return entry
