"""A caller that has reached its limit is refused everywhere with the reason; health, assets and daemons are not."""

from pathlib import Path

from orchestrator.service.server.admission import CallerLimits, CallerShares
from tests.support.agent_reports import enroll, heartbeat
from tests.support.live_service import serve

FULL = CallerLimits(running=0, waiting=0)


def test_refused_caller_gets_the_reason_and_daemons_go_on(tmp_path: Path) -> None:
    with serve(tmp_path) as served, served.client("admin") as admin:
        daemon, _ = enroll(served)
        served.app.state.gate.callers = CallerShares(FULL)
        page = admin.get("/agents", headers={"Accept": "text/html"})
        answer = admin.get("/api/v1/agents")
        assert daemon.post("/api/v1/heartbeats", json=heartbeat()).status_code == 200
        for path in ("/api/v1/health", "/static/ciphermark.css", "/login"):
            assert admin.get(path).status_code == 200
    assert (page.status_code, page.headers["content-type"]) == (429, "text/html; charset=utf-8")
    assert "requests of one caller at the same time" in page.text
    assert (answer.status_code, answer.json()["type"]) == (429, "/problems/too-many-requests")
    assert page.headers["retry-after"] == answer.headers["retry-after"] == "2"
