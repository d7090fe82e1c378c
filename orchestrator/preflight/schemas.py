"""Answers of the hygiene endpoints."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from orchestrator.wire.health import HygieneFinding


class HygieneReceipt(BaseModel):
    """The report is stored."""

    id: int


class HygieneAnswer(BaseModel):
    """The conditions on one agent at one moment, poor findings first."""

    model_config = ConfigDict(frozen=True)

    id: int
    agent_id: str
    agent: str
    """Its name, for people."""
    run_id: str | None
    """The run that was about to begin there; null for a report that came with a health check."""
    checked_at: datetime
    findings: list[HygieneFinding]

    @property
    def poor(self) -> list[HygieneFinding]:
        """What should be mended."""
        return [finding for finding in self.findings if finding.state == "poor"]

    @property
    def unknown(self) -> list[HygieneFinding]:
        """What nobody can tell there."""
        return [finding for finding in self.findings if finding.state == "unknown"]
