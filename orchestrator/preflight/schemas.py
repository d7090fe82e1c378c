"""Answers of the preflight endpoints."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from orchestrator.wire.health import PreflightResult


class PreflightReportCreated(BaseModel):
    """The report is stored."""

    id: int


class PreflightReportDetail(BaseModel):
    """The conditions on one agent at one moment, poor results first."""

    model_config = ConfigDict(frozen=True)

    id: int
    agent_id: str
    agent: str
    """Its name, for people."""
    run_id: str | None
    """The run that was about to begin there; null for a report that came with a health check."""
    checked_at: datetime
    results: list[PreflightResult]

    @property
    def poor(self) -> list[PreflightResult]:
        """What should be mended."""
        return [result for result in self.results if result.state == "poor"]

    @property
    def unknown(self) -> list[PreflightResult]:
        """What nobody can tell there."""
        return [result for result in self.results if result.state == "unknown"]
