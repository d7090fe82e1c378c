"""Responses of the preflight endpoints."""

from datetime import datetime

from pydantic import ConfigDict

from orchestrator.shared.values.models import LazyModel
from orchestrator.wire.health import PreflightResult


class PreflightReportCreated(LazyModel):
    """Stored report."""

    id: int


class PreflightReportDetail(LazyModel):
    """Results of the preflight checks of an agent at one time, poor results first."""

    model_config = ConfigDict(frozen=True)

    id: int
    agent_id: str
    agent: str
    """Name of the agent."""
    run_id: str | None
    """Run before which the checks were made; null for the checks of a health check."""
    checked_at: datetime
    results: list[PreflightResult]

    @property
    def poor(self) -> list[PreflightResult]:
        """Results that should be corrected."""
        return [result for result in self.results if result.state == "poor"]

    @property
    def unknown(self) -> list[PreflightResult]:
        """Results of checks that the machine does not permit."""
        return [result for result in self.results if result.state == "unknown"]
