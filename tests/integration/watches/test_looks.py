"""Looks of a watch: runs that the scheduler submits, judges and confirms, with a real database and real submissions."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import delete, select, update

from orchestrator.database.models import Agent, Build, Case, Proof, Run, RunTag, Watch, WatchRun, now
from orchestrator.results.answers.agents import WITHDRAWN
from orchestrator.scheduler.background import report_step, watch_step
from orchestrator.service.security import tokens
from orchestrator.service.trust import service as trust
from orchestrator.service.trust.kinds import Finding
from orchestrator.web.charts.response import rows_of
from tests.support.fleet import Fleet
from tests.support.offers import EVALME_ALGORITHMS, add_agent, add_build
from tests.support.prepared_fleets import FORMER, tag_runs
from tests.support.seldom import seldom
from tests.support.waiting import until
from tests.support.watched_fleet import DAY, WatchedFleet
from tests.support.watched_runs import measure

SLOWER = 1.3
OFFERS = {"cryptopp": EVALME_ALGORITHMS, "botan": EVALME_ALGORITHMS}


def runs_stored(watched: WatchedFleet) -> list[str]:
    with watched.fleet.database.read() as session:
        return list(session.scalars(select(Run.id)))


def builds_of(watched: WatchedFleet, look: dict[str, Any]) -> set[int]:
    """Return the builds that the first run of a look was executed with."""
    with watched.fleet.database.read() as session:
        return set(session.scalars(select(Case.build_id).where(Case.run_id == look["run_ids"][0])))


def report_again(watched: WatchedFleet, build_id: int) -> None:
    """Let the agent's daemon start with this build, a second later."""
    watched.at += timedelta(seconds=1)
    with watched.fleet.database.write() as session:
        session.execute(
            update(Build)
            .where(Build.agent_id == watched.fleet.agent_id)
            .values(current=Build.id == build_id, is_default=Build.id == build_id)
        )
        session.execute(update(Build).where(Build.id == build_id).values(reported_at=watched.at))


class TestDueLooks:
    def test_scheduler_that_was_killed_after_the_submission_submits_nothing_twice(self, watched: WatchedFleet) -> None:
        watched.add()
        watched.advance()
        submitted = runs_stored(watched)
        with watched.fleet.database.write() as session:
            session.execute(delete(WatchRun))
        WatchedFleet.of(watched.fleet).advance()
        assert runs_stored(watched) == submitted
        assert watched.last_look()["run_ids"] == submitted

    def test_look_is_skipped_while_the_former_run_is_unfinished_with_a_notice(self, watched: WatchedFleet) -> None:
        watched.add()
        watched.advance()
        (run_id,) = runs_stored(watched)
        watched.advance(DAY)
        found = watched.show()
        assert runs_stored(watched) == [run_id]
        assert f"was skipped: run {run_id} of look 1 has not ended." in found["notice"]
        assert found["due_at"] > found["noticed_at"]
        measure(watched.fleet, run_id, 1)
        watched.advance()
        watched.advance()
        watched.advance(DAY)
        assert len(runs_stored(watched)) == 2
        assert watched.show()["notice"] == ""

    @pytest.mark.long
    def test_missed_looks_are_made_up_for_by_one(self, watched: WatchedFleet) -> None:
        watched.add()
        watched.look()
        watched.advance(5.5 * DAY)
        watched.advance(timedelta(minutes=1))
        found = watched.show()
        assert found["looks"] == 2
        assert found["due_at"] > found["latest_looks"][0]["began_at"]

    def test_paused_watch_begins_no_look_until_it_is_resumed(self, watched: WatchedFleet) -> None:
        watched.add()
        watched.look()
        assert watched.fleet.submitter.patch("/api/v1/watches/nightly", json={"paused": True}).json()["paused"]
        watched.advance(3 * DAY)
        assert watched.show()["looks"] == 1
        watched.fleet.submitter.patch("/api/v1/watches/nightly", json={"paused": False}).raise_for_status()
        watched.advance()
        assert watched.show()["looks"] == 2

    def test_return_to_an_earlier_build_begins_a_look_and_a_restart_with_it_does_not(
        self, watched: WatchedFleet
    ) -> None:
        """Regression: builds were compared by the order of their first reports, so that a return was no change."""
        watched.add(every_seconds=None, on_build=True)
        first = builds_of(watched, watched.look())
        with watched.fleet.database.write() as session:
            later = add_build(session, watched.fleet.agent_id, OFFERS, seconds_ago=1.0)
        report_again(watched, later)
        assert builds_of(watched, watched.look()) == {later} != first
        (earlier,) = first
        report_again(watched, earlier)
        assert builds_of(watched, watched.look()) == first
        assert watched.show()["looks"] == 3
        report_again(watched, earlier)
        watched.advance(DAY)
        assert watched.show()["looks"] == 3

    @pytest.mark.long
    def test_return_during_a_look_begins_one_when_it_has_ended(self, watched: WatchedFleet) -> None:
        watched.add(every_seconds=None, on_build=True)
        first = builds_of(watched, watched.look())
        with watched.fleet.database.write() as session:
            later = add_build(session, watched.fleet.agent_id, OFFERS, seconds_ago=1.0)
        report_again(watched, later)
        watched.advance()
        (run_id,) = watched.last_look()["run_ids"]
        measure(watched.fleet, run_id, watched.seed)
        (earlier,) = first
        report_again(watched, earlier)
        watched.advance(timedelta(minutes=1))
        assert (watched.show()["looks"], watched.show()["notice"]) == (2, "")
        assert builds_of(watched, watched.look()) == {later}
        assert builds_of(watched, watched.look()) == first
        assert watched.show()["looks"] == 3

    def test_new_build_begins_a_look_only_after_its_known_answers(self, watched: WatchedFleet) -> None:
        """Regression: the look began between the build and its known answers, failed, and was not repeated."""
        watched.add(every_seconds=None, on_build=True)
        watched.look()
        with watched.fleet.database.write() as session:
            build_id = add_build(session, watched.fleet.agent_id, OFFERS, seconds_ago=1.0)
            proofs = session.scalars(select(Proof).where(Proof.build_id == build_id)).all()
            kept = [{column.name: getattr(one, column.name) for column in Proof.__table__.columns} for one in proofs]
            session.execute(delete(Proof).where(Proof.build_id == build_id))
        watched.advance(DAY)
        assert watched.show()["looks"] == 1
        with watched.fleet.database.write() as session:
            session.add_all(Proof(**columns) for columns in kept)
        assert watched.look()["state"] == "undecided"
        assert watched.show()["looks"] == 2

    def test_steps_of_the_scheduler_do_the_same_in_their_threads(self, watched: WatchedFleet) -> None:
        watched.add()
        settings = watched.fleet.served.settings
        steps = watch_step(watched.fleet.database, settings), report_step(watched.fleet.database, settings)

        def submitted() -> bool:
            for step in steps:
                step.step()
            looks = watched.show()["latest_looks"]
            return bool(looks and looks[0]["run_ids"])

        until(submitted, "the first run of the watch")
        for step in steps:
            step.close()
        assert len(runs_stored(watched)) == 1


class TestChanges:
    def test_slower_provider_is_confirmed_reported_once_and_then_the_new_level(self, settled: WatchedFleet) -> None:
        assert settled.last_look()["detectable_change"] < SLOWER - 1
        look = settled.look({"botan": SLOWER})
        assert (look["state"], look["cases"], look["changes"], len(look["run_ids"])) == ("decided", 8, 4, 8)
        changes = settled.show()["latest_changes"]
        assert {change["case"]["provider"] for change in changes} == {"botan"}
        for change in changes:
            # Throughput: less is worse.
            assert change["worse"]
            assert change["ratio"] == pytest.approx(1 / SLOWER, rel=0.02)
            assert change["interval"]["low"] < change["ratio"] < change["interval"]["high"] < 1
            assert (change["new_runs"], change["former_runs"]) == (8, FORMER)
        # The confirmations measure the suspects only.
        confirmed = settled.fleet.submitter.get(f"/api/v1/runs/{look['run_ids'][1]}").json()
        assert (confirmed["name"], confirmed["executions_total"]) == ("test-confirm", 4 * 3)
        assert {entry["providers"][0] for entry in confirmed["plan"]["matrix"]} == {"botan"}
        settled.at += DAY
        for _ in range(2):
            assert settled.look({"botan": SLOWER})["changes"] == 0
            settled.at += DAY

    def test_one_slow_run_is_no_change(self, settled: WatchedFleet) -> None:
        settled.advance()
        (run_id,) = settled.last_look()["run_ids"]
        measure(settled.fleet, run_id, 99, {"botan": SLOWER})
        look = settled.look()
        assert (look["state"], look["changes"]) == ("decided", 0)
        assert len(look["run_ids"]) > 1

    @pytest.mark.long
    def test_baseline_run_reports_a_lasting_change_once_and_again_after_a_recovery(self, watched: WatchedFleet) -> None:
        run_id = watched.fleet.submit()
        measure(watched.fleet, run_id, 77)
        watched.add(baseline_run_id=run_id)
        watched.pass_days(FORMER)
        found = []
        for factor in (SLOWER, SLOWER, SLOWER, 1.0, SLOWER):
            found.append(watched.look({"botan": factor})["changes"])
            watched.at += DAY
        assert found == [4, 0, 0, 0, 4]

    @pytest.mark.long
    def test_failing_cases_are_named_while_they_fail(self, settled: WatchedFleet) -> None:
        """Regression: a look without the cases of a provider that crashes was decided, and lacked nothing."""
        for _ in range(2):
            look = settled.look(failing=["botan"])
            settled.at += DAY
            assert (look["state"], look["cases"], look["changes"]) == ("decided", 4, 0)
            assert look["reason"].startswith("4 cases have no verified result, unlike in former runs: botan ")
        assert settled.look()["reason"] == ""

    def test_run_whose_cases_all_fail_is_named(self, settled: WatchedFleet) -> None:
        reason = settled.look(failing=["botan", "cryptopp"])["reason"]
        assert reason.startswith("Undecided: the run has no verified result. 8 cases have no verified result, unlike ")

    @pytest.mark.long
    def test_look_after_a_change_of_all_cases_names_what_is_missing(self, settled: WatchedFleet) -> None:
        """Regression: the reason was that there were 9 former runs, and that 5 are needed."""
        slower = {"botan": SLOWER, "cryptopp": SLOWER}
        assert settled.look(slower)["changes"] == 8
        settled.at += DAY
        reason = settled.look(slower)["reason"]
        assert reason == "Undecided: no run of the baseline, or since the last change, has one of these cases."

    def test_results_of_a_distrusted_agent_decide_nothing_until_it_is_trusted(self, settled: WatchedFleet) -> None:
        """Regression: a look compared results that every answer shows as withdrawn, and reported changes of them."""
        agent_id = settled.fleet.agent_id
        settled.advance()
        with settled.fleet.database.write() as session:
            trust.note(session, agent_id, [Finding("impossible-time", "for a test")])
        look = settled.look({"botan": SLOWER})
        assert (look["state"], look["cases"], look["suspects"], look["changes"]) == ("undecided", 0, 0, 0)
        name = settled.fleet.submitter.get(f"/api/v1/agents/{agent_id}").json()["name"]
        left_out = f"8 cases of {name} are left out: their results are {WITHDRAWN}."
        assert look["reason"] == f"Undecided: no verified result is left. {left_out}"
        # Finding: the chart drew the values of these results, and the page listed them.
        viewer, history = settled.fleet.submitter, "/watches/nightly/charts/history"
        assert list(rows_of(viewer.get(f"{history}.json").json())) == []
        assert f"Not drawn: {name}, whose results are {WITHDRAWN}" in viewer.get(f"{history}.html").text
        assert viewer.get(f"{history}.svg").status_code == 200
        assert viewer.get("/watches/nightly", headers={"Accept": "text/html"}).text.count(f">{WITHDRAWN}<") == 8
        with settled.fleet.database.write() as session:
            trust.trust(session, agent_id)
            session.execute(update(Agent).values(health="healthy"))
        settled.at += DAY
        assert settled.look()["cases"] == 8
        assert len({row["case"] for row in rows_of(viewer.get(f"{history}.json").json())}) == 8

    @pytest.mark.long
    def test_figures_of_an_agent_that_is_distrusted_later_are_withdrawn(self, settled: WatchedFleet) -> None:
        """Regression: page, API and command line went on to show reported changes that no answer shows any more."""
        assert settled.look({"botan": SLOWER})["changes"] == 4
        shown = settled.show()["latest_changes"]
        with settled.fleet.database.write() as session:
            trust.note(session, settled.fleet.agent_id, [Finding("impossible-time", "for a test")])
        found = settled.show()
        assert found["latest_changes"] == []
        assert {one["reason"] for one in found["withdrawn_changes"]} == {WITHDRAWN}
        for name in ("look", "found_at", "case_words"):
            assert [one[name] for one in found["withdrawn_changes"]] == [one[name] for one in shown]
        page = settled.fleet.submitter.get("/watches/nightly", headers={"Accept": "text/html"}).text
        assert page.count(f'<td colspan="3">{WITHDRAWN}</td>') == 12  # 4 changes, and the histories of 8 cases
        assert not any(f"{100 * (one['ratio'] - 1):+.1f} %" in page for one in shown)

    @pytest.mark.long
    def test_baseline_run_does_not_count_as_one_that_shows_the_variation(self, watched: WatchedFleet) -> None:
        """Regression: "5 former runs, and 5 are needed"."""
        run_id = watched.fleet.submit()
        measure(watched.fleet, run_id, 77)
        watched.add(baseline_run_id=run_id)
        watched.pass_days(4)
        assert watched.look()["reason"].startswith("Undecided: 4 former runs, and 5 are needed")


class TestLeftOut:
    """Finding: looks named the cases that failed, and left others out silently: omitted, missing, not confirmed."""

    @pytest.mark.parametrize("deleted", [False, *seldom(True)])
    def test_case_whose_known_answers_fail_is_named_as_long_as_that_lasts(
        self, settled: WatchedFleet, deleted: bool
    ) -> None:
        with settled.fleet.database.write() as session:
            broken = update(Proof).where(Proof.provider == "botan", Proof.algorithm == "aes-192-cbc")
            session.execute(broken.values(passed=False, detail="vector 3 of 12"))
            if deleted:  # Values of looks stay.
                session.execute(update(Run).values(deleted_at=now()))
        for _ in range(2):
            look = settled.look()
            settled.at += DAY
            assert (look["state"], look["cases"], look["changes"]) == ("decided", 4, 0)
            assert look["reason"].startswith(
                "4 cases have no verified result, unlike in former runs: botan aes-192-cbc"
            )
            assert "Its known-answer tests failed: vector 3 of 12" in look["reason"]

    def test_cases_of_an_agent_that_is_missing_are_named_and_reported_once(self, watched: WatchedFleet) -> None:
        with watched.fleet.database.write() as session:
            retired = add_agent(session, "retired")
        watched.add(outlets=[{"kind": "file"}])
        watched.pass_days(5)
        with watched.fleet.database.write() as session:
            session.execute(update(Agent).where(Agent.id == retired).values(revoked_at=now()))
        for _ in range(2):
            reason = watched.look()["reason"]
            watched.at += DAY
            assert reason.startswith("8 cases are left out: botan aes-192-cbc")
            assert reason.endswith("The run has no such case, unlike former runs of the same plan.")
        assert [one["look"] for one in watched.show()["latest_deliveries"]] == [6]

    def test_first_look_reports_what_it_lacks_of_its_baseline(self, watched: WatchedFleet) -> None:
        """Regression: lost cases were reported if the look before had them, which a first look has not."""
        run_id = watched.fleet.submit()
        measure(watched.fleet, run_id, 77)
        watched.add(baseline_run_id=run_id, outlets=[{"kind": "file"}])
        assert "4 cases have no verified result" in watched.look(failing=["botan"])["reason"]
        assert [one["look"] for one in watched.show()["latest_deliveries"]] == [1]

    @pytest.mark.long
    def test_suspect_without_confirming_results_is_named(self, settled: WatchedFleet) -> None:
        settled.advance()
        (run_id,) = settled.last_look()["run_ids"]
        measure(settled.fleet, run_id, 99, {"botan": SLOWER, "cryptopp": SLOWER})
        look = settled.look({"cryptopp": SLOWER}, failing=["botan"])
        assert (look["state"], look["changes"]) == ("decided", 4)
        assert look["reason"].startswith("4 cases are left out: botan aes-192-cbc")
        assert look["reason"].endswith("Suspected, but 1 run has a verified result of it, and 3 are needed.")


class TestTroubles:
    def test_plan_that_no_agent_can_execute_any_more_fails_the_look_with_the_reason(
        self, watched: WatchedFleet
    ) -> None:
        watched.add()
        watched.look()
        with watched.fleet.database.write() as session:
            session.execute(update(Agent).values(revoked_at=now()))
        watched.advance(DAY)
        look = watched.last_look()
        assert (look["number"], look["state"], look["run_ids"]) == (2, "failed", [])
        assert "agent" in look["reason"]

    @pytest.mark.parametrize("state", ["failed", *seldom("cancelled")])
    def test_run_that_does_not_finish_fails_its_look(self, watched: WatchedFleet, state: str) -> None:
        watched.add()
        watched.advance()
        (run_id,) = watched.last_look()["run_ids"]
        with watched.fleet.database.write() as session:
            session.execute(update(Run).where(Run.id == run_id).values(state=state, reason="too hot"))
        watched.advance()
        look = watched.last_look()
        assert look["state"] == "failed"
        assert f"Run {run_id} " in look["reason"]
        assert "too hot" in look["reason"]

    @pytest.mark.long
    def test_deleted_baseline_skips_the_look_and_names_what_helps(self, watched: WatchedFleet) -> None:
        run_id = watched.fleet.submit()
        measure(watched.fleet, run_id, 77)
        watched.add(baseline_run_id=run_id)
        with watched.fleet.database.write() as session:
            session.execute(update(Run).where(Run.id == run_id).values(deleted_at=now()))
        watched.advance()
        found = watched.show()
        assert found["looks"] == 0
        assert f"its baseline, run {run_id}, was deleted. Remove the watch" in found["notice"]

    def test_watch_of_a_revoked_token_begins_no_look(self, watched: WatchedFleet) -> None:
        watched.add()
        with watched.fleet.database.write() as session:
            token, _ = tokens.create(session, "submitter", "left")
            session.execute(update(Watch).values(owner_id=token.family_id))
            tokens.revoke(session, token.id)
        watched.advance()
        found = watched.show()
        assert found["looks"] == 0
        assert "the token that added it was revoked. An admin can remove the watch" in found["notice"]

    def test_baseline_tag_that_no_run_has_any_more_skips_the_look(self, watched: WatchedFleet) -> None:
        """Regression: the look was measured, and its reason was that there were enough former runs."""
        tag_runs(watched.fleet, 1)
        watched.add(baseline_tag="main")
        with watched.fleet.database.write() as session:
            session.execute(delete(RunTag))
        watched.advance()
        found = watched.show()
        assert found["looks"] == 0
        assert "was skipped: no finished run has the tag 'main' of its baseline any more." in found["notice"]

    @pytest.mark.long
    def test_tagged_run_without_a_result_of_the_measure_is_left_out(self, tagged: tuple[Fleet, list[str]]) -> None:
        """Regression: one such run failed each look."""
        watched, (other, *_) = WatchedFleet.of(tagged[0]), tagged[1]
        with watched.fleet.database.write() as session:
            session.execute(update(Case).where(Case.run_id == other).values(protocol="latency"))
        watched.add(baseline_tag="main")
        assert watched.look({"botan": SLOWER})["changes"] == 4

    @pytest.mark.long
    def test_clock_that_was_in_the_future_delays_no_look(self, watched: WatchedFleet) -> None:
        """Regression: after a look during the wrong time, the next one was due years later."""
        watched.add()
        watched.look()
        present = watched.at
        watched.at += 400 * DAY
        watched.look()
        watched.at = present
        watched.advance()
        found = watched.show()
        assert found["looks"] == 3
        due = datetime.fromisoformat(found["due_at"])
        assert present < due <= present + DAY

    @pytest.mark.long
    def test_clock_that_was_in_the_future_delays_no_confirmation(self, settled: WatchedFleet) -> None:
        present = settled.at
        settled.at += 400 * DAY
        settled.advance()
        (run_id,) = settled.last_look()["run_ids"]
        measure(settled.fleet, run_id, 99, {"botan": SLOWER})
        settled.at = present
        look = settled.look({"botan": SLOWER})
        assert (look["state"], look["changes"]) == ("decided", 4)

    def test_failed_confirmations_are_named(self, settled: WatchedFleet) -> None:
        settled.advance()
        (run_id,) = settled.last_look()["run_ids"]
        measure(settled.fleet, run_id, 99, {"botan": SLOWER})
        settled.advance()
        with settled.fleet.database.write() as session:
            session.execute(update(Agent).values(revoked_at=now()))
        look = settled.look()
        assert (look["state"], look["changes"]) == ("decided", 0)
        assert "7 of 7 confirmations failed: " in look["reason"]
