from datetime import UTC, datetime

import pytest

from orchestrator.agents.schemas import AgentSummary, HealthCheckSummary
from orchestrator.cli.agent_health import health_line, print_checks
from tests.support.agent_reports import health_check
from tests.support.models import built


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


class TestHealthLine:
    def test_an_unchecked_agent(self) -> None:
        agent = built(AgentSummary, health="unchecked", health_check_requested=True)
        assert health_line(agent) == "unchecked, a check is requested"

    def test_reason_is_shown(self) -> None:
        checked = datetime(2020, 1, 1, tzinfo=UTC)
        line = health_line(
            built(AgentSummary, health="quarantined", health_reason="too hot", health_checked_at=checked)
        )
        assert line.startswith("quarantined, checked ")
        assert line.endswith(" days ago: too hot")


class TestPrintChecks:
    def test_a_row_for_each_check(self, capsys: pytest.CaptureFixture[str]) -> None:
        shown = health_check() | {"state": "degraded", "drift": 0.0815, "accepted": False}
        first = shown | {"drift": None, "temperature_celsius": None, "noise_floor": None, "accepted": True}
        print_checks([built(HealthCheckSummary, one) for one in (shown, first)])
        text = capsys.readouterr().out
        for part in ("+8.2%", "5 ms", "1.00%", "51.5 °C", "degraded (accepted)", "—"):
            assert part in text

    def test_table_fits_a_terminal_of_80_columns(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        shown = health_check() | {"state": "quarantined", "drift": 0.0815, "accepted": True}
        print_checks([built(HealthCheckSummary, shown)])
        assert max(map(len, capsys.readouterr().out.splitlines())) <= 80
