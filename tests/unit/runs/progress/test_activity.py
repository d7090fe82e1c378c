from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.runs.progress.activity import PartFacts, part_activity, run_activity, wait_together
from orchestrator.runs.schemas import Activity, ActivityName

START = datetime(2026, 11, 22, tzinfo=UTC)
SECOND = timedelta(seconds=1)
TIMES = st.one_of(st.none(), st.integers(0, 1000).map(lambda seconds: START + seconds * SECOND))
NAMES = st.lists(st.sampled_from(["quick", "lwc-aead", "evalme", "day", "night"]), max_size=5, unique=True)
FACTS = st.builds(
    PartFacts,
    agent_name=st.sampled_from(["pi4", "pi5", "desktop"]),
    submitted_at=st.just(START),
    absence=st.sampled_from(["", "", "silent", "quarantined: too hot"]),
    absent_since=TIMES,
    agent_activity=st.sampled_from(["", "checking its health"]),
    builds=st.lists(st.sampled_from(["gcc -O3", "clang -Os"]), max_size=2, unique=True),
    builds_since=TIMES,
    laid_out_at=TIMES,
    open_jobs=st.integers(0, 3),
    running_since=TIMES,
    first_started_at=TIMES,
    last_finished_at=TIMES,
    is_checked=st.booleans(),
    ahead=NAMES,
)


def facts(**changes: object) -> PartFacts:
    values: dict[str, object] = {"agent_name": "pi", "submitted_at": START, "laid_out_at": START, "open_jobs": 2}
    return PartFacts(**{**values, **changes})  # type: ignore[arg-type]


def activity(name: ActivityName, cause: str = "") -> Activity:
    return Activity(name=name, since=START, cause=cause)


class TestPartActivity:
    @given(FACTS)
    def test_measuring_requires_a_started_job_and_building_a_build(self, given_facts: PartFacts) -> None:
        found = part_activity(given_facts)
        if found.name in ("measuring", "preflight"):
            assert given_facts.running_since or given_facts.first_started_at
            assert given_facts.open_jobs or given_facts.laid_out_at is None
        if found.name == "building":
            assert given_facts.builds
            assert all(one in found.cause for one in given_facts.builds)
        if given_facts.absence and found.name != "finished":
            assert (found.name, found.cause) == ("waiting for agent", given_facts.absence)

    @given(FACTS)
    def test_waiting_has_a_cause_and_a_start(self, given_facts: PartFacts) -> None:
        found = part_activity(given_facts)
        if found.name in ("queued", "building", "waiting for agent"):
            assert found.cause
        if found.name in ("queued", "building"):
            assert found.since is not None

    def test_run_behind_another_one_is_queued(self) -> None:
        """Regression: a run whose agent executed another one was shown as running."""
        found = part_activity(facts(ahead=["evalme", "quick"]))
        assert (found.name, found.cause, found.since) == ("queued", "after evalme, quick", START)

    def test_build_that_waits_for_other_runs_shows_them(self) -> None:
        found = part_activity(facts(laid_out_at=None, open_jobs=0, builds=["clang -O3"], ahead=["quick"]))
        assert (found.name, found.cause) == ("building", "clang -O3, after quick")

    def test_build_requested_by_an_earlier_run_waits_since_the_submission(self) -> None:
        found = part_activity(facts(laid_out_at=None, builds=["gcc"], builds_since=START - 60 * SECOND))
        assert found.since == START

    def test_started_job_without_a_preflight_report_is_preflight(self) -> None:
        begun = START + 5 * SECOND
        assert part_activity(facts(running_since=begun, first_started_at=begun)).name == "preflight"
        checked = part_activity(facts(running_since=begun, first_started_at=begun, is_checked=True))
        assert (checked.name, checked.since) == ("measuring", begun)

    def test_pause_between_two_jobs_is_measuring(self) -> None:
        assert part_activity(facts(first_started_at=START, is_checked=True)).name == "measuring"

    def test_idle_agent_that_checks_its_health_is_the_cause(self) -> None:
        assert part_activity(facts(agent_activity="checking its health")).cause == "checking its health"


class TestRunActivity:
    @given(st.lists(st.tuples(st.sampled_from(["pi4", "pi5"]), FACTS.map(part_activity)), min_size=1, max_size=4))
    def test_run_does_what_one_of_its_parts_does(self, parts: list[tuple[str, Activity]]) -> None:
        found = run_activity(parts)
        assert found.name in {activity.name for _, activity in parts}
        if any(activity.name == "measuring" for _, activity in parts):
            assert found.name == "measuring"

    def test_cause_names_the_agents(self) -> None:
        parts = [("pi4", activity("building", "gcc -O3")), ("pi5", activity("queued", "after quick"))]
        assert run_activity(parts).cause == "pi4: gcc -O3"
        assert run_activity(parts[:1]).cause == "gcc -O3"

    def test_agents_that_start_together_wait_for_the_builder(self) -> None:
        parts = [
            (facts(agent_name="pi4"), activity("building", "gcc -O3")),
            (facts(agent_name="pi5"), activity("queued", "waits for its layout")),
        ]
        assert [one.cause for one in wait_together(parts)] == ["gcc -O3", "starts together with pi4, which builds"]
