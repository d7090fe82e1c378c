"""A fleet with the scheduler's step for watches, at times of the test's choice."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
from sqlalchemy import select

from orchestrator.database.models import Run, WatchLook, now
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.watches.looks import Looks
from tests.support.fleet import Fleet, plan
from tests.support.watched_runs import measure

DAY = timedelta(days=1)


@dataclass
class WatchedFleet:
    """A fleet, and the time of its scheduler."""

    fleet: Fleet
    looks: Looks
    at: datetime = field(default_factory=lambda: datetime.now(UTC))
    seed: int = 0

    @classmethod
    def of(cls, fleet: Fleet, **given: Any) -> "WatchedFleet":
        """Return a fleet whose scheduler begins now, unless the time is given."""
        return cls(fleet, Looks(fleet.database, fleet.served.settings, ReadingsCache()), **given)

    def post(self, **given: Any) -> httpx.Response:
        """Request a new watch, by default once a day."""
        body = {"name": "nightly", "plan": plan(), "every_seconds": 86_400, **given}
        return self.fleet.submitter.post("/api/v1/watches", json=body)

    def add(self, **given: Any) -> dict[str, Any]:
        """Add a watch and return it."""
        answer = self.post(**given)
        assert answer.status_code == httpx.codes.CREATED, answer.text
        self.at = max(self.at, now())
        return dict(answer.json())

    def show(self, name: str = "nightly") -> dict[str, Any]:
        """Return a watch from the API."""
        return dict(self.fleet.submitter.get(f"/api/v1/watches/{name}").raise_for_status().json())

    def last_look(self) -> dict[str, Any]:
        """Return the last look of the watch."""
        return dict(self.show()["latest_looks"][0])

    def advance(self, later: timedelta = timedelta(0)) -> None:
        """Let time pass, and the scheduler do one thing for each watch."""
        self.at += later
        self.looks.advance(self.at)

    def look(self, factors: Mapping[str, float] | None = None, failing: Collection[str] = ()) -> dict[str, Any]:
        """Advance until the look that is due now is decided, measuring all its runs; return it."""
        self.advance()
        begun = self.last_look()["number"]
        while self._selected(WatchLook.number, WatchLook.state.in_(("measuring", "confirming"))):
            for run_id in self._selected(Run.id, Run.state == "planned"):
                self.seed += 1
                measure(self.fleet, run_id, self.seed, factors, failing)
            self.advance(timedelta(minutes=40))
        look = self.last_look()
        assert look["number"] == begun
        return look

    def _selected(self, column: Any, condition: Any) -> list[Any]:
        """Return values of rows from the database: requests for each run took most of the time of these tests."""
        with self.fleet.database.read() as session:
            return list(session.scalars(select(column).where(condition)))

    def pass_days(self, days: int) -> None:
        """Let looks without a change be decided, one a day."""
        for _ in range(days):
            began = self.at
            assert self.look()["changes"] == 0
            self.at = began + DAY + timedelta(minutes=1)
