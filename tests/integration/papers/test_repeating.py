"""Repetition of a bundle: its plan and seed as a run of another service, and where the two runs differ."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from orchestrator.cli.exit_codes import ExitCode
from orchestrator.database.models import Build, Case, Execution, Run
from orchestrator.papers.bundle.opening import opened
from orchestrator.papers.bundle.repeating import compare_with
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.comparisons.service import Source, compare_sources
from orchestrator.shared.errors import Conflict, InvalidRequest, NotFound
from orchestrator.shared.units import KIB
from tests.support.commands import Command, succeeded
from tests.support.database import Shape as ChunkShape
from tests.support.database import fill
from tests.support.latency_results import Shape, fill_calls
from tests.support.live_service import Served, serve
from tests.support.offers import add_agent, add_chunks
from tests.support.waiting import until

PAPER = "tinyjambu-compilers"
THEIRS = Shape(run_id="theirs000001", agent="pi4", repetitions=12)
OURS = Shape(run_id="ours00000001", agent="desk", repetitions=20)
OTHER_CASES = "chunks000001"
CASES = 2 * 2 * (2 * 4 + 1)
"""Builds, algorithms, operations × lengths and a key setup."""
PLAN = {
    "version": 1,
    "name": "repeated",
    "repetitions": 2,
    "matrix": [
        {"providers": ["botan"], "algorithms": ["aes-192-cbc"], "inputs": {"kinds": ["text"], "sizes": ["128 KiB"]}}
    ],
}
SLOWER = 1.1


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a bundle of another service."""
    folder = tmp_path_factory.mktemp("theirs")
    with serve(folder / "data") as theirs:
        fill_calls(theirs.database, THEIRS)
        with theirs.database.write() as session:
            session.get_one(Run, THEIRS.run_id).plan = PLAN
        answer = theirs.viewer.get(f"/api/v1/papers/{PAPER}/bundle", params={"run": THEIRS.run_id})
    assert answer.status_code == 200, answer.text
    (folder / "bundle.zip").write_bytes(answer.content)
    return folder / "bundle.zip"


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill_calls(served.database, OURS)
    _slow_down(served)
    fill(served.database, ChunkShape(run_id=OTHER_CASES, agents=("desk",), with_curves=False))
    with served.database.write() as session:
        add_agent(session, "shelf")
    add_chunks(served.settings.corpus_folder, ("text",), [128 * KIB])
    return served


def _slow_down(served: Served) -> None:
    """Let Clang's build of one cipher take 10 % longer."""
    with served.database.write() as session:
        clang = next(one.id for one in session.query(Build) if one.toolchain["compiler"] == "clang")
        slow = session.query(Case.id).filter_by(build_id=clang, algorithm="tinyjambu-256")
        for execution in session.query(Execution).where(Execution.case_id.in_(slow), Execution.state == "ok"):
            execution.call_wall_ns = (execution.call_wall_ns or 0.0) * SLOWER


def verified(command: Command, bundle: Path, *options: str) -> dict[str, Any]:
    done = command("verify", str(bundle), *options, "--json")
    assert done.exit_code == ExitCode.UNVOUCHED, (done.output, done.exception)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


class TestComparison:
    @pytest.mark.long
    def test_planted_difference_is_found_and_nothing_else(self, command: Command, bundle: Path) -> None:
        repetition = verified(command, bundle, "--against", OURS.run_id, "--rows", "100")["repetition"]
        (comparison,) = repetition["comparisons"]
        (part,) = comparison["parts"]
        rows = part["rows"]

        assert (comparison["measure"], comparison["comparisons"], len(rows)) == ("call", CASES, CASES)
        assert {row["method"] for row in rows} == {"unpaired"}
        differing = {(row["algorithm"], row["toolchain"]) for row in rows if row["verdict"] != "tie"}
        assert {(name, toolchain.split()[0]) for name, toolchain in differing} == {("tinyjambu-256", "clang")}
        assert {row["verdict"] for row in rows} == {"worse", "tie"}
        assert all(row["interval"]["low"] < SLOWER < row["interval"]["high"] * 1.01 for row in rows[: part["worse"]])
        # The devices are what is compared, so that cases match without their names.
        assert part["crossed"] == ["agent"]

    def test_changes_and_verdicts_of_both_are_printed(self, command: Command, bundle: Path) -> None:
        text = " ".join(command("verify", str(bundle), "--against", OURS.run_id).stdout.split())
        assert text.startswith("Unsigned: this proves nothing about who measured")
        assert f"Run {OURS.run_id} next to run {THEIRS.run_id} of the bundle" in text
        assert "bundle: pi4 other run: desk" in text
        assert "corrected together (Holm)" in text
        # The plans differ, and only one of them names its seed.
        assert "plan matrix.0.providers botan —" in text

    @pytest.mark.long
    def test_part_of_a_bundle_is_compared(self, command: Command, bundle: Path) -> None:
        found = verified(command, bundle, "--against", OURS.run_id, "--part", "toolchain=gcc -O3")
        (part,) = found["repetition"]["comparisons"][0]["parts"]
        assert (part["worse"], part["rows_total"]) == (0, CASES // 2)
        of_agent = verified(command, bundle, "--against", f"{OURS.run_id},agent=desk", "--measure", "call-cpu")
        assert of_agent["repetition"]["comparisons"][0]["measure"] == "call-cpu"

    @pytest.mark.long
    def test_cases_of_all_measures_are_one_family(self, served: Served, bundle: Path) -> None:
        with opened(bundle) as theirs, theirs.rows.read() as session, served.database.read() as other_session:
            sources = [
                Source.of(session, ReadingsCache(), THEIRS.run_id),
                Source.of(other_session, ReadingsCache(), OURS.run_id),
            ]
            alone = compare_sources(sources, ["call"], 500)
            both = compare_sources(sources, ["call", "call-cpu"], 500)
        assert [one.comparisons for one in both] == [2 * CASES, 2 * CASES]
        # More comparisons, so that the same evidence counts for less.
        before, after = (min(row.adjusted_p or 1.0 for row in found[0].parts[0].rows) for found in (alone, both))
        assert 0 < before < after

    def test_run_of_the_bundle_itself_is_refused(self, bundle: Path) -> None:
        with (
            opened(bundle) as one,
            opened(bundle) as other,
            pytest.raises(InvalidRequest, match="nothing was repeated"),
        ):
            compare_with(one, other, rows=1)

    @pytest.mark.long
    def test_run_without_a_shared_case_or_measure_is_refused(self, command: Command, bundle: Path) -> None:
        refused = command("verify", str(bundle), "--against", OTHER_CASES).exception
        assert isinstance(refused, Conflict)
        assert "share no case" in refused.detail
        refused = command("verify", str(bundle), "--against", OURS.run_id, "--part", "agent=other").exception
        assert isinstance(refused, Conflict)
        assert "agent: pi4" in refused.remedy
        assert isinstance(command("verify", str(bundle), "--against", "unknown00001").exception, NotFound)
        refused = command("verify", str(bundle), "--against", OURS.run_id, "--measure", "encrypt").exception
        assert isinstance(refused, InvalidRequest)
        assert "Use call" in refused.remedy


class TestRepeat:
    def test_plan_of_the_bundle_is_submitted_with_its_seed(
        self, served: Served, command: Command, bundle: Path
    ) -> None:
        submitted = json.loads(succeeded(command("repeat", str(bundle), "--agent", "shelf", "--no-watch", "--json")))
        with served.database.read() as session:
            run = session.get_one(Run, submitted["id"])
            assert run.plan == {**PLAN, "agents": ["shelf"], "seed": 4096}
            assert run.seed == 4096

    @pytest.mark.long
    def test_cancelled_repetition_names_how_to_compare_what_it_has(
        self, served: Served, command: Command, bundle: Path
    ) -> None:
        with served.database.read() as session:
            before = {one.id for one in session.query(Run)}

        def cancel() -> None:
            def submitted() -> str | None:
                with served.database.read() as session:
                    return next((one.id for one in session.query(Run) if one.id not in before), None)

            # The command has a token of its own, which owns the run.
            served.admin.post(f"/api/v1/runs/{until(submitted, 'the run')}/cancel", json={}).raise_for_status()

        with ThreadPoolExecutor(1) as pool:
            cancelled = pool.submit(cancel)
            result = command("repeat", str(bundle), "--agent", "shelf")
            cancelled.result()
        assert result.exit_code == ExitCode.RUN_NOT_FINISHED
        assert "The run is cancelled. Compare what it has: ciphermark papers verify" in " ".join(result.stderr.split())
