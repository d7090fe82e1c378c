"""Comparisons of runs over HTTP, from a filled database."""

from statistics import median
from typing import Any

import pytest
from sqlalchemy import update

from orchestrator.database.models import Build, Case, Execution, Run, now
from orchestrator.results.comparisons.schemas import ComparisonPart, ComparisonSide
from orchestrator.results.comparisons.sentence import summary_of
from orchestrator.results.schemas import Interval
from orchestrator.shared.units import KIB, format_share
from tests.support.database import Shape, fill
from tests.support.latency_results import Shape as CallShape
from tests.support.latency_results import fill_calls
from tests.support.live_service import Served

FIRST, AGAIN, OTHER_DEVICE, SHORT, GONE = (
    "first0000001", "again0000001", "device000001", "short0000001", "gone00000001",
)  # fmt: skip
CALLS, HOT = "calls0000001", "hot000000001"
SMALL: dict[str, Any] = {
    "algorithms": ("aes-128-ctr", "chacha20-256"), "kinds": ("text", "random"), "with_curves": False,
}  # fmt: skip
CASES = 3 * 2 * 2 * 2  # providers, algorithms, kinds, sizes
SLOWER = 1.1
PATH = "/api/v1/comparisons"


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, Shape(run_id=FIRST, repetitions=20, **SMALL))
    fill(served.database, Shape(run_id=AGAIN, name="again", repetitions=12, **SMALL))
    fill(served.database, Shape(run_id=OTHER_DEVICE, repetitions=12, agents=("pi5",), **SMALL))
    fill(served.database, Shape(run_id=SHORT, repetitions=3, sizes=(128 * KIB,), **SMALL))
    fill(served.database, Shape(run_id=GONE, repetitions=3, **SMALL))
    fill_calls(served.database, CallShape(run_id=CALLS, agent="pi4"))
    _slow_down(served, AGAIN, "botan", "chacha20-256")
    fill(served.database, Shape(run_id=HOT, name="hot", repetitions=20, **SMALL))
    _slow_down(served, HOT)
    with served.database.write() as session:
        session.execute(update(Run).where(Run.id == GONE).values(deleted_at=now()))
    return served


def _slow_down(served: Served, run_id: str, provider: str | None = None, algorithm: str | None = None) -> None:
    """Let one implementation, or all, take 10 % longer in a run."""
    of_one = {"provider": provider, "algorithm": algorithm} if provider else {}
    with served.database.write() as session:
        slow = session.query(Case.id).filter_by(run_id=run_id, **of_one)
        for execution in session.query(Execution).where(Execution.case_id.in_(slow)):
            walls = execution.phase_wall_ns or {}
            execution.phase_wall_ns = walls | {"encrypt": round(walls.get("encrypt", 0) * SLOWER)}


def get(served: Served, *sides: str, **query: Any) -> Any:
    return served.json(PATH, run=list(sides), **query)


def refused(served: Served, *sides: str, **query: Any) -> tuple[int, str]:
    answer = served.viewer.get(PATH, params={"run": list(sides), **query})
    problem = answer.json()
    return answer.status_code, f"{problem['detail']} {problem.get('remedy', '')}"


class TestSameResults:
    def test_the_same_run_twice_ties_in_all_cases(self, served: Served) -> None:
        (part,) = get(served, FIRST, FIRST)["parts"]
        assert (part["ties"], part["rows_total"], part["changes"]) == (CASES, CASES, [])
        assert {(row["verdict"], row["ratio"], row["method"]) for row in part["rows"]} == {("tie", 1.0, "same results")}
        assert "tie in all 24 cases" in part["sentence"]
        assert "Nothing that is stored about the two changed" in part["sentence"]


class TestUnpaired:
    def test_planted_slow_down_is_found_and_nothing_else(self, served: Served) -> None:
        result = get(served, FIRST, AGAIN)
        (part,) = result["parts"]
        worse = [row for row in part["rows"] if row["verdict"] == "worse"]
        assert {(row["provider"], row["algorithm"]) for row in worse} == {("botan", "chacha20-256")}
        assert (part["worse"], part["better"], part["ties"], part["undecided"]) == (4, 0, CASES - 4, 0)
        assert [row["verdict"] for row in part["rows"][:4]] == ["worse"] * 4
        for row in worse:
            assert row["ratio"] == pytest.approx(1 / SLOWER, rel=0.02)
            assert row["interval"]["low"] <= row["ratio"] <= row["interval"]["high"]
            assert (row["n"], row["other_n"], row["method"]) == (20, 12, "unpaired")
        assert result["comparisons"] == CASES
        assert part["paired"] == "no"
        assert "share no blocks" in part["method"]

    def test_ties_state_the_difference_that_they_may_hide(self, served: Served) -> None:
        (part,) = get(served, FIRST, AGAIN)["parts"]
        ties = [one for one in part["rows"] if one["verdict"] == "tie"]
        hidden = [
            max((one["interval"]["high"] / one["interval"]["low"]) ** 0.5, 1 + one["noise_floor"]) for one in ties
        ]
        assert f"in half of the ties, a difference below {format_share(median(hidden) - 1)}" in part["sentence"]
        # Intervals of 0.02 to 11.7 were called ties, without a word on what they exclude.
        wide = ComparisonPart.model_validate(part)
        for row in wide.rows:
            row.interval = Interval(low=0.02, high=11.7)
        text = summary_of(wide, ComparisonSide.model_validate(part["other"]), "encrypt")
        assert "A tie does not prove equality: in half of the ties, a difference below a factor of 24.2" in text
        assert "does not prove" not in get(served, FIRST, FIRST)["parts"][0]["sentence"]

    def test_everything_that_moves_together_is_the_machine(self, served: Served) -> None:
        # Finding F108: a warm machine was reported as 24 regressions.
        together = "All of them moved together, whatever their provider: probably the machine."
        (hot,) = get(served, FIRST, HOT)["parts"]
        assert (hot["worse"], together in hot["sentence"]) == (CASES, True)
        (one,) = get(served, FIRST, AGAIN)["parts"]
        assert together not in one["sentence"]
        part = ComparisonPart.model_validate(hot | {"crossed": ["toolchain"]})
        first = ComparisonSide.model_validate(hot["other"])
        assert together not in summary_of(part, first, "encrypt")

    def test_two_devices_are_matched_without_the_agent(self, served: Served) -> None:
        (part,) = get(served, FIRST, OTHER_DEVICE)["parts"]
        assert part["crossed"] == ["agent"]
        assert part["rows_total"] == CASES
        assert {(row["agent_name"], row["other_agent_name"]) for row in part["rows"]} == {("raspberrypi", "pi5")}

    def test_few_readings_are_undecided(self, served: Served) -> None:
        (part,) = get(served, FIRST, SHORT)["parts"]
        assert part["undecided"] == part["rows_total"] == CASES // 2
        assert part["only_first"] == CASES // 2
        assert {(row["interval"], row["adjusted_p"]) for row in part["rows"]} == {(None, None)}

    def test_several_sides_are_one_family(self, served: Served) -> None:
        result = get(served, FIRST, AGAIN, OTHER_DEVICE)
        assert [part["other"]["run_id"] for part in result["parts"]] == [AGAIN, OTHER_DEVICE]
        assert result["comparisons"] == 2 * CASES


class TestPaired:
    def test_toolchains_of_one_run_are_compared_by_block(self, served: Served) -> None:
        (part,) = get(served, f"{CALLS},toolchain=gcc -O3", f"{CALLS},toolchain=clang -O3")["parts"]
        assert (part["crossed"], part["paired"]) == (["toolchain"], "yes")
        assert {row["method"] for row in part["rows"]} == {"paired"}
        assert {row["verdict"] for row in part["rows"]} == {"better"}
        assert [row["ratio"] for row in part["rows"]] == pytest.approx([0.93] * len(part["rows"]), rel=0.01)
        compilers = [one for one in part["changes"] if one["topic"] == "compiler"]
        assert {one["after"] for one in compilers} == {"clang 14.0.6", "clang -O3"}
        assert part["changes"][0]["topic"] == "compiler"


class TestBadInput:
    def test_deleted_run_is_distinguished_from_one_that_never_existed(self, served: Served) -> None:
        status, text = refused(served, FIRST, GONE)
        assert status == 404
        assert f"Run {GONE} (" in text
        assert ") was deleted on " in text
        assert "There is no run 'never0000001'" in refused(served, FIRST, "never0000001")[1]
        assert "ciphermark runs list" in text

    def test_runs_of_different_protocols_share_no_measure(self, served: Served) -> None:
        status, text = refused(served, f"{CALLS},toolchain=gcc -O3", FIRST, measure="call")
        assert status in (409, 422)
        assert "call" in text

    @pytest.mark.parametrize("side", ["", ",agent=x", f"{FIRST},colour=red", f"{FIRST},agent", f"{FIRST},agent="])
    def test_malformed_side_is_refused(self, served: Served, side: str) -> None:
        status, text = refused(served, FIRST, side)
        assert status == 422
        assert "RUN" in text

    def test_run_of_noop_alone_is_refused_with_what_it_has(self, served: Served) -> None:
        noop = fill(served.database, Shape(run_id="noop00000001", repetitions=3, **SMALL))
        with served.database.write() as session:
            session.execute(update(Case).where(Case.run_id == noop).values(operation="noop"))
        status, text = refused(served, FIRST, noop)
        assert (status, f"{noop} has only the overhead of a process (noop). Compare" in text) == (409, True)

    def test_one_side_is_refused(self, served: Served) -> None:
        assert refused(served, FIRST)[0] == 422


def test_library_version_is_a_change(served: Served) -> None:
    # Another build of the same toolchain: the same cases, another version and hash of a library.
    upgraded = fill(served.database, Shape(run_id="upgraded0001", repetitions=6, **SMALL))
    with served.database.write() as session:
        old = session.query(Build).join(Case, Case.build_id == Build.id).filter(Case.run_id == upgraded).first()
        assert old is not None
        runners = {**old.runners, "botan": {**old.runners["botan"], "sha256": "9" * 64}}
        runners["botan"]["listing"] = {**runners["botan"]["listing"], "version": "3.0.0"}
        new = Build(
            agent_id=old.agent_id, build_key="e" * 64, source_sha256=old.source_sha256, toolchain=old.toolchain,
            compiler_version=old.compiler_version, runners=runners,
        )  # fmt: skip
        session.add(new)
        session.flush()
        session.execute(update(Case).where(Case.run_id == upgraded).values(build_id=new.id))
    (part,) = get(served, FIRST, upgraded)["parts"]
    found = {(one["topic"], one["subject"]): (one["before"], one["after"]) for one in part["changes"]}
    assert found["libraries", "build, botan"] == ("2.19.3", "3.0.0")
    assert found["hashes", "build, runner botan"] == ("2" * 12, "9" * 12)
    topics = [one["topic"] for one in part["changes"]]
    assert topics.index("plan") < topics.index("libraries") < topics.index("hashes")
