"""Readings of the measures of one run as arrays: candidates × blocks × inputs; the source of answers and charts.

A candidate is an implementation in one build on one agent. An input is a chunk, or the message of a timed call; the two
protocols are never in one table. The arrays hold ``ok`` executions only, so that a wrong result is never fast.
"""

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from orchestrator.database.models import Case, CaseStatistics
from orchestrator.results.answers import repository
from orchestrator.results.case_statistics import NS_PER_SECOND
from orchestrator.results.measures import MEASURES, Purpose, RankingMeasure
from orchestrator.results.schemas import Measure
from orchestrator.shared.errors import InvalidRequest, NoData
from orchestrator.shared.units import MIB
from orchestrator.shared.values.forms import UNMASKED, Form
from orchestrator.statistics.location import Floats
from orchestrator.statistics.trend import Trend, residuals, trend
from orchestrator.wire.messages import phases_of

T = TypeVar("T")
SECONDS_AN_HOUR = 3600.0
MAX_CACHED = 50
"""Computed results kept per run; clients may request any length."""
MAX_CACHED_BYTES = 24 * MIB
"""Arrays of all runs in the cache: those of a million executions take 16 MiB."""


@dataclass(frozen=True, order=True)
class Candidate:
    """An implementation of one build on one agent."""

    agent_id: str
    provider: str
    algorithm: str
    variant: str
    build_id: int
    copy: int = 1
    """1, 2 … for the copies of a case in a plan; each copy is a candidate."""
    form: Form = UNMASKED

    @property
    def implementation(self) -> "Implementation":
        """Its implementation on its build."""
        return self.build_id, self.provider, self.algorithm, self.variant

    @property
    def fields(self) -> dict[str, Any]:
        """Fields of schemas.ImplementationFields."""
        return {
            "provider": self.provider,
            "algorithm": self.algorithm,
            "variant": self.variant,
            **self.form.fields,
            "copy_number": self.copy,
        }


Implementation = tuple[int, str, str, str]
"""Build id, provider, algorithm, variant."""


@dataclass(frozen=True, order=True)
class Input:
    """A chunk, or the message of a timed call; the SHA-256 of a message covers its fills."""

    length_bytes: int
    kind: str
    input_sha256: str
    operation: str = ""
    """Set for calls only, as the fields below."""
    key_setup: str = ""
    associated_data_bytes: int = 0
    timing: tuple[int, float] = (0, 0.0)
    """Timings per execution, and the minimum milliseconds of each."""

    @property
    def has_message(self) -> bool:
        """False for a call of an operation that takes no message, such as a key setup; its input has no digest."""
        return not self.operation or bool(self.input_sha256)


@dataclass
class ExecutionCounts:
    """Executions of a candidate by state."""

    ok: int = 0
    failed: int = 0
    wrong: int = 0
    disputed: int = 0
    skipped: int = 0
    disturbed: int = 0

    def add(self, other: "CaseStatistics | ExecutionCounts") -> None:
        """Add the executions of one case, or of one candidate."""
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))


TIMES: tuple[Measure, ...] = ("encrypt", "pass", "call")
"""Measures that are always loaded, for rankings and charts."""
MEDIANS_OF_CASES = ("call_cpu_ns", "cold_call_wall_ns", "cycles_per_instruction", "energy_per_execution_joules",
                    "energy_per_byte_joules")  # fmt: skip


@dataclass
class CandidateReadings:
    """Readings of one candidate in one run under one protocol."""

    counts: ExecutionCounts = field(default_factory=ExecutionCounts)
    phases: dict[str, bool] = field(default_factory=dict)
    """Phases of its processes in their order, and whether they process the message."""
    peak_rss_bytes: list[float] = field(default_factory=list)
    """Medians of its cases."""
    outliers: dict[Input, int] = field(default_factory=dict)
    values: dict[RankingMeasure, dict[Input, Floats]] = field(default_factory=lambda: defaultdict(dict))
    """Readings of the measures that were loaded, in their units, shape (blocks,)."""
    medians: dict[str, dict[Input, float]] = field(default_factory=lambda: {name: {} for name in MEDIANS_OF_CASES})
    """Medians of its cases by MEDIANS_OF_CASES; energy is measured over energy windows."""

    def of(self, measure: RankingMeasure) -> dict[Input, Floats]:
        """Return the readings of a measure in its own unit; NaN for a block without one."""
        return self.values.get(measure, {})

    def matrix(self, measure: RankingMeasure, inputs: Sequence[Input]) -> Floats:
        """Return the readings of a measure, shape (blocks, inputs), NaN where there is no ok execution."""
        readings = self.of(measure)
        blocks = max(map(len, readings.values()), default=0)
        missing = np.full(blocks, np.nan)
        return np.stack([readings.get(one, missing) for one in inputs], axis=1)

    def speeds(self, measure: RankingMeasure, inputs: Sequence[Input]) -> Floats:
        """Return speeds, larger is better, shape (blocks, inputs): throughputs, or one / what should be small."""
        matrix = self.matrix(measure, inputs)
        return matrix if MEASURES[measure].rises else 1.0 / matrix

    def add(self, case: Case, summary: CaseStatistics | None, times: "_Times") -> None:
        """Add the readings of one case."""
        given = input_of(case)
        if case.protocol == "process":
            with_message = phases_of(case.message_operations)
            self.phases |= {phase: phase in with_message for phase in phases_of(case.operation)}
        for measure, values in zip(times.measures, times.of_case(case.id), strict=True):
            facts = MEASURES[measure]
            if facts.protocol in (case.protocol, "either"):
                self.values[measure][given] = case.message_bytes * NS_PER_SECOND / values if facts.rises else values
        if summary is None:
            return
        self.counts.add(summary)
        self.outliers[given] = summary.outliers
        if summary.median_peak_rss_bytes is not None:
            self.peak_rss_bytes.append(summary.median_peak_rss_bytes)
        for name in MEDIANS_OF_CASES:
            value = getattr(summary, f"median_{name}")
            if value is not None:
                self.medians[name][given] = value


Candidates = dict[Candidate, CandidateReadings]
ReadingName = Literal[
    "peak_rss_bytes", "work_wall_ns", "work_cpu_ns", "call_cpu_ns", "work_user_ns", "work_system_ns",
    "cold_call_wall_ns", "iterations", "shell_mean_rss_bytes",
]  # fmt: skip
"""Readings that are loaded by themselves, because few comparisons are about them."""


@dataclass(frozen=True)
class RunReadings:
    """All candidates of a run. Blocks are the repetitions with an ``ok`` execution, ascending."""

    blocks: tuple[int, ...]
    process: Candidates
    latency: Candidates
    trends: Mapping[tuple[str, str], Trend]
    """By agent and protocol, if there are enough readings."""
    _kept: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        found = [*self.process.values(), *self.latency.values()]
        return sum(array.nbytes for one in found for part in one.values.values() for array in part.values())

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the cached result under this key; compute it on the first call."""
        if len(self._kept) > MAX_CACHED:
            self._kept.clear()
        if key not in self._kept:
            self._kept[key] = compute()
        return cast(T, self._kept[key])

    def trend(self, agent_id: str, measure: RankingMeasure) -> Trend | None:
        """Return the trend of an agent's times during this run."""
        return self.trends.get((agent_id, self.protocol_of(measure)))

    def protocol_of(self, measure: RankingMeasure) -> str:
        """Return the protocol whose executions give this measure; of both, the process protocol if it was used."""
        protocol = MEASURES[measure].protocol
        if protocol != "either":
            return protocol
        return "latency" if self.latency and not self.process else "process"

    def candidates(self, measure: RankingMeasure) -> Candidates:
        """Return the candidates of the protocol that gives this measure, and that have its phases."""
        if MEASURES[measure].exact:
            return {**self.latency, **self.process}
        if self.protocol_of(measure) == "latency":
            return self.latency
        facts = MEASURES[measure]
        return {candidate: one for candidate, one in self.process.items() if facts.is_of(one.phases)}

    def of_agent(self, agent_id: str, measure: RankingMeasure) -> Candidates:
        """Return the candidates of one agent."""
        found = self.candidates(measure)
        return {candidate: one for candidate, one in found.items() if candidate.agent_id == agent_id}

    def agent_ids(self, measure: RankingMeasure) -> list[str]:
        """Return the agents that have candidates."""
        return sorted({candidate.agent_id for candidate in self.candidates(measure)})

    def measures(self) -> list[RankingMeasure]:
        """Return the measures of this run, the default first."""
        found = [*self.process.values(), *self.latency.values()]
        absent = set[str]()
        if not any(one.peak_rss_bytes for one in found):
            absent.add("memory")
        if not any(one.medians["energy_per_byte_joules"] for one in found):
            absent.add("energy")
        counted = any(one.medians["cycles_per_instruction"] for one in found)
        phases = {phase: has_message for one in found for phase, has_message in one.phases.items()}
        protocols = {"process"} if self.process else set()
        protocols |= {"latency"} if self.latency else set()
        known = list(MEASURES)
        place = known.index("pass")
        return [
            name
            for name in (*known[:place], *MEASURES.further(phases), *known[place:])
            if (facts := MEASURES[name])
            and facts.is_of(phases)
            and facts.purpose not in absent
            and (counted or not facts.counted)
            and (facts.protocol in protocols or (protocols and facts.protocol == "either"))
        ]


def load(
    session: Session, run_id: str, with_disturbed: bool = True, further: RankingMeasure | None = None
) -> RunReadings:
    """Read a run's times from the database, or only the readings of one further measure."""
    times = _load_times(session, run_id, with_disturbed, further)
    process: Candidates = defaultdict(CandidateReadings)
    latency: Candidates = defaultdict(CandidateReadings)
    over_time: dict[tuple[str, str], list[Floats]] = defaultdict(list)
    for case, summary, _ in repository.cases_of_run(session, run_id):
        candidates = latency if case.protocol == "latency" else process
        candidates[candidate_of(case)].add(case, summary, times)
        if further is None:
            over_time[case.agent_id, case.protocol].append(times.over_time(case))
    trends = {key: found for key, parts in over_time.items() if (found := _trend(parts)) is not None}
    return RunReadings(times.blocks, dict(process), dict(latency), trends)


def load_reading(
    session: Session,
    run_id: str,
    agent_id: str,
    name: ReadingName,
    blocks: Sequence[int],
    *,
    purpose: str = "timing",
    with_disturbed: bool = True,
) -> dict[Candidate, dict[Input, Floats]]:
    """Read another reading of an agent's ok executions, shape (blocks,) for each input, NaN for a missing one.

    purpose: of the executions; those of other purposes than timing are in the rows of the same repetitions.
    """
    places = {block: place for place, block in enumerate(blocks)}
    found: dict[Candidate, dict[Input, Floats]] = defaultdict(dict)
    by_case: dict[int, Floats] = {}
    for case, _, _ in repository.cases_of_run(session, run_id):
        if case.agent_id == agent_id:
            by_case[case.id] = found[candidate_of(case)][input_of(case)] = np.full(len(places), np.nan)
    for part in repository.ok_values(session, run_id, (name,), purpose=purpose, with_disturbed=with_disturbed):
        for case_id, repetition, _, value in part:
            if case_id in by_case and value is not None and repetition in places:
                by_case[case_id][places[repetition]] = value
    return dict(found)


def _load_times(session: Session, run_id: str, with_disturbed: bool, further: RankingMeasure | None) -> "_Times":
    """Return the readings of the executions with the measure's purpose; memory falls back to timing executions."""
    measures: tuple[RankingMeasure, ...] = TIMES if further is None else (further,)
    purpose: Purpose = "timing" if further is None else MEASURES[further].purpose
    for chosen in dict.fromkeys((purpose, "timing" if purpose == "memory" else purpose)):
        found = repository.ok_values(session, run_id, measures, purpose=chosen, with_disturbed=with_disturbed)
        times = _Times.of(measures, found)
        if times.blocks:
            break
    return times


def _trend(parts: Sequence[Floats]) -> Trend | None:
    """Return the trend over all cases of an agent; None with too few readings."""
    whole = np.concatenate(parts, axis=1)
    whole = whole[:, np.isfinite(whole).all(axis=0)]
    try:
        return trend(whole[0], whole[1])
    except NoData:
        return None


@dataclass(frozen=True)
class _Times:
    """All ok executions of a run, sorted by case, as whole arrays: there may be a million."""

    measures: tuple[RankingMeasure, ...]
    blocks: tuple[int, ...]
    places: NDArray[np.intp]  # of each execution among the blocks
    readings: Floats  # shape (executions, measures); NaN if absent
    hours: Floats  # start of each execution, since the first
    rows_of_case: dict[int, slice]

    @classmethod
    def of(cls, measures: tuple[RankingMeasure, ...], parts: Iterable[Sequence[tuple[Any, ...]]]) -> "_Times":
        """Sort the rows of all parts; None becomes NaN."""
        fields = 3 + len(measures)
        tables = [np.array(rows, dtype=np.float64).reshape(-1, fields) for rows in parts]
        table = np.concatenate([np.empty((0, fields)), *tables])
        table = table[np.argsort(table[:, 0], kind="stable")]
        blocks, places = np.unique(table[:, 1], return_inverse=True)
        case_ids, starts = np.unique(table[:, 0], return_index=True)
        ends = np.append(starts[1:], len(table))[: len(starts)]
        slices = {int(case_id): slice(*limits) for case_id, *limits in zip(case_ids, starts, ends, strict=True)}
        # 0 is below the resolution of a clock, a meter or a counter: it has no ratio to anything.
        readings = np.where(table[:, 3:] > 0, table[:, 3:], np.nan)
        seconds = table[:, 2]
        hours = (seconds - np.nanmin(seconds)) / SECONDS_AN_HOUR if np.isfinite(seconds).any() else seconds
        return cls(measures, tuple(int(block) for block in blocks), places, readings, hours, slices)

    def of_case(self, case_id: int) -> Floats:
        """Return the readings of a case, shape (measures, blocks); NaN without an ok execution."""
        readings = np.full((len(self.measures), len(self.blocks)), np.nan)
        rows = self.rows_of_case.get(case_id)
        if rows is not None:
            readings[:, self.places[rows]] = self.readings[rows].T
        return readings

    def over_time(self, case: Case) -> Floats:
        """Return residuals from the case's usual time and start hours; shape (2, executions)."""
        rows = self.rows_of_case.get(case.id, slice(0))
        times = self.readings[rows, TIMES.index("call" if case.protocol == "latency" else "pass")]
        return np.stack([residuals(times), self.hours[rows]])


def candidate_of(case: Case) -> Candidate:
    """Return the candidate that a case belongs to."""
    identity = (case.agent_id, case.provider, case.algorithm, case.variant, case.build_id, case.copy)
    return Candidate(*identity, Form.of(case))


def input_of(case: Case) -> Input:
    """Return the input of a case."""
    chunk = Input(case.message_bytes, case.input_kind or "", case.input_sha256 or "")
    if case.protocol != "latency":
        return chunk
    return replace(
        chunk,
        operation=case.operation,
        key_setup=case.key_setup or "",
        associated_data_bytes=case.associated_data_bytes,
        timing=(case.timings or 0, case.min_timing_ms or 0.0),
    )


_CacheKey = tuple[str, bool, RankingMeasure | None]
"""Run, whether disturbed executions count, and the further measure."""


class ReadingsCache:
    """LRU cache of run readings: a run of 100 000 executions is read once for many page loads.

    An entry is valid until the statistics of the run include further executions or verdicts. Thread-safe.
    """

    def __init__(self, runs: int = 8, max_bytes: int = MAX_CACHED_BYTES) -> None:
        """Keep up to `runs` runs of a database, and one if their arrays take more than `max_bytes`."""
        self._runs, self._max_bytes = runs, max_bytes
        self._entries: OrderedDict[_CacheKey, tuple[tuple[int, ...], RunReadings]] = OrderedDict()
        """The stamp of the statistics that the readings are from, and the readings."""
        self._lock = threading.Lock()

    def get(
        self, session: Session, run_id: str, with_disturbed: bool = True, measure: RankingMeasure | None = None
    ) -> RunReadings:
        """Return the readings of a run that contain this measure: the times, or those of a further measure alone.

        A measure without readings has the candidates with times.
        """
        further = None if measure is None or measure in TIMES or MEASURES[measure].exact else measure
        if further is not None and further not in MEASURES:
            self._require(session, run_id, further)
        with self._lock:
            stamp = repository.stamp(session, run_id)
            key = (run_id, with_disturbed, further)
            entry = self._entries.get(key)
            if entry is None or entry[0] != stamp:
                entry = (stamp, load(session, run_id, with_disturbed, further))
            self._entries[key] = entry
            self._entries.move_to_end(key)
            while len(self._entries) > self._runs or (len(self._entries) > 1 and self._bytes() > self._max_bytes):
                self._entries.popitem(last=False)
            return entry[1]

    def _require(self, session: Session, run_id: str, measure: RankingMeasure) -> None:
        """Raise InvalidRequest if no process of the run executes the operation of a measure."""
        has = self.get(session, run_id).measures()
        if measure not in has:
            raise InvalidRequest(
                f"The run has no measure {measure!r}.", remedy=f"Use one of {', '.join(has)}.", field="measure"
            )

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._entries)

    def _bytes(self) -> int:
        return sum(readings.nbytes for _, readings in self._entries.values())
