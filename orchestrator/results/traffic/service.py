"""The cost of a traffic in a run, from the measured times of its candidates."""

from collections.abc import Callable

from orchestrator.results.answers.decision.constraints import NO_CONSTRAINTS, Constraints
from orchestrator.results.answers.decision.question import Question
from orchestrator.results.answers.facts import agent_facts
from orchestrator.results.answers.readings import ReadingsCache, RunReadings
from orchestrator.results.answers.selection import violated
from orchestrator.results.answers.service import require_values
from orchestrator.results.freshness.service import RunSnapshot
from orchestrator.results.schemas import Measure
from orchestrator.results.traffic.costs import Calls, available
from orchestrator.results.traffic.schemas import Histogram, TrafficAnswer, TrafficRequest
from orchestrator.results.traffic.tables import TrafficTable
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import format_size
from orchestrator.statistics.mixtures.cost import Mixture
from orchestrator.statistics.mixtures.histograms import FORMS, format_histogram, parse_histogram
from orchestrator.statistics.ranking import rank_together
from orchestrator.wire.messages import OperationName


def read_traffic(
    seen: RunSnapshot, cache: ReadingsCache, request: TrafficRequest, constraints: Constraints = NO_CONSTRAINTS
) -> Callable[[], TrafficAnswer]:
    """Read a run; return what ranks the cost of a traffic with each of its candidates, after the transaction.

    Raises InvalidRequest for an algorithm, calls or key changes that the run cannot have.
    """
    session, run_id = seen.session, seen.run.id
    readings = cache.get(session, run_id)
    mixture = Mixture.of(request.lengths_bytes, request.counts, request.key_changes)
    measure: Measure = request.measure or ("call" if readings.latency else "encrypt")
    calls = _calls(readings, request, measure)
    operation: OperationName | None = None if calls.operation == "both" else calls.operation
    question = Question(operation=operation, constraints=constraints, algorithms=frozenset(request.algorithms))
    require_values(session, run_id, question)
    tables = []
    for agent_id in readings.agent_ids(measure):
        candidates = question.selected(readings.of_agent(agent_id, measure))
        agent = agent_facts(session, run_id, agent_id, {one.build_id for one in candidates})
        reasons = {one: why for one, why in violated(agent, candidates, question).items() if why}
        tables.append(TrafficTable.of(agent, candidates, calls, mixture, reasons))
    tables.sort(key=lambda table: table.agent.agent_name)
    fields = {str(place): table for place, table in enumerate(tables)}
    key = ("traffic", calls, mixture, tuple(table.key for table in tables))

    def compute() -> TrafficAnswer:
        ranking = readings.once(key, lambda: rank_together({name: table.field() for name, table in fields.items()}))
        changes = readings.once(
            ("changes", *key), lambda: {name: table.changes(ranking.places[name]) for name, table in fields.items()}
        )
        return TrafficAnswer(
            run_id=run_id,
            measure=measure,
            messages=sum(request.counts),
            lengths_bytes=[int(length) for length in mixture.lengths_bytes],
            mean_bytes=mixture.mean_bytes,
            key_changes_per_message=mixture.key_changes,
            operation=request.operation,
            key_setup=calls.key_setup,
            associated_data_bytes=calls.associated_data_bytes,
            algorithms=sorted(request.algorithms),
            constraints=constraints.labels,
            agents=[
                table.answer(ranking.places[name], changes[name], ranking.comparisons, request.rows)
                for name, table in fields.items()
            ],
        )

    return compute


def _calls(readings: RunReadings, request: TrafficRequest, measure: Measure) -> Calls:
    """Return which calls give the cost of a message; raises InvalidRequest."""
    if measure != "call":
        return _phases(request, measure)
    found = available(readings.latency, request.operation)
    setups = [request.key_setup] if request.key_setup else list(dict.fromkeys(setup for setup, _ in found))
    fitting = [
        (setup, length)
        for setup, length in found
        if setup in setups[:1] and request.associated_data_bytes in (None, length)
    ]
    if found and not fitting:
        measured = "; ".join(f"key {setup}, {format_size(length)} of associated data" for setup, length in found)
        raise InvalidRequest(
            "The run has no such calls of this operation.",
            remedy=f"It has: {measured}.",
            field="key_setup" if request.associated_data_bytes is None else "associated_data_bytes",
        )
    setup, length = fitting[0] if fitting else ("apart", request.associated_data_bytes or 0)
    if setup == "included" and request.key_changes:
        raise InvalidRequest(
            "Each measured call sets the key, so that key changes are part of its cost.",
            remedy="Omit the key changes, or measure calls with the key set apart.",
            field="key_changes",
        )
    return Calls(measure, request.operation, setup, length)


def _phases(request: TrafficRequest, measure: Measure) -> Calls:
    """Return the phase of processes that gives the cost; raises InvalidRequest for what only calls have."""
    given = {
        "operation": request.operation if request.operation != "encrypt" else None,
        "key_changes": request.key_changes or None,
        "key_setup": request.key_setup,
        "associated_data_bytes": request.associated_data_bytes,
    }
    for field, value in given.items():
        if value is not None:
            raise InvalidRequest(
                f"The measure {measure} has no {field}: only timed calls have it.",
                remedy="Omit it, or measure messages: a matrix with `protocol: latency`.",
                field=field,
            )
    return Calls(measure, "encrypt", None, None)


def read_histogram(text: str, field: str = "content") -> Histogram:
    """Return the number of messages of each length in a text; raises InvalidRequest with the line that is wrong."""
    try:
        counts = parse_histogram(text)
    except ValueError as error:
        raise InvalidRequest(f"{error}.", remedy=FORMS, field=field) from None
    return Histogram(text=format_histogram(counts), lengths_bytes=list(counts), counts=list(counts.values()))
