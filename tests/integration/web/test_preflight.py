"""Preflight reports on the pages of a run and of an agent."""

import httpx

from orchestrator.database.models import PreflightReport, now
from tests.support.database import Shape, add_agent, fill
from tests.support.live_service import Served, words_of

RESULT = {"name": "swap", "found": "no swap", "expected": "nothing swapped out", "state": "good"}


def a_run(filled: Served, run_id: str, agent: str) -> str:
    """Store a run of one agent, with its preflight report."""
    shape = Shape(run_id=run_id, repetitions=1, sizes=(1024,), kinds=("text",), with_curves=False, agents=(agent,))
    return fill(filled.database, shape)


def page(filled: Served, path: str) -> str:
    answer = filled.visitor.get(path, headers={"accept": "text/html"})
    assert answer.status_code == httpx.codes.OK
    return words_of(answer)


class TestRunPage:
    def test_poor_results_are_expanded_with_their_remedies(self, filled: Served) -> None:
        text = page(filled, f"/runs/{a_run(filled, 'conditions01', 'untidy')}")
        assert "<details open>" in text.split('id="conditions"')[1]
        assert "echo performance | sudo tee" in text
        assert text.index("Governor</dt>") < text.index("Turbo</dt>") < text.index("Swap</dt>")

    def test_reports_without_poor_results_are_collapsed(self, filled: Served) -> None:
        run = a_run(filled, "conditions02", "tidy")
        with filled.database.write() as session:
            for report in session.query(PreflightReport).filter_by(run_id=run):
                report.facts = report.facts | {"results": [RESULT]}
        section = page(filled, f"/runs/{run}").split('id="conditions"')[1]
        assert section.split("</summary>")[0].split("<summary>")[1].startswith("Nothing poor")
        assert "<details>" in section.split("</section>")[0]
        assert "<details open>" not in section.split("</section>")[0]


class TestAgentPage:
    def test_latest_report_is_shown_also_from_a_health_check(self, filled: Served) -> None:
        with filled.database.write() as session:
            agent_id = add_agent(session, "checked")
        assert "Not checked yet" in page(filled, f"/agents/{agent_id}")

        facts = {"run_id": None, "checked_at": now().isoformat(), "results": [RESULT]}
        with filled.database.write() as session:
            session.add(PreflightReport(agent_id=agent_id, run_id=None, checked_at=now(), facts=facts))

        text = page(filled, f"/agents/{agent_id}")
        assert "with a health check" in text
        assert "no swap" in text
