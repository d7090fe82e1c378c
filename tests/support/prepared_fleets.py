"""Fleets with measured runs: each is prepared once per test process, and its data folder is copied for each test."""

import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from orchestrator.database.models import RunTag
from tests.support import postgresql
from tests.support.fleet import Fleet, open_fleet
from tests.support.untraced import untraced_with_all_it_starts
from tests.support.watched_fleet import WatchedFleet
from tests.support.watched_runs import measure

FORMER = 8
"""Looks of the watch of `settled`, and tagged runs of `tagged`."""

Known = TypeVar("Known")


@dataclass
class Prepared(Generic[Known]):
    """A preparation and the data folder that it left; what it returns is passed to each test with its copy."""

    folder: Path
    prepare: Callable[[Fleet], Known]
    _left: list[tuple[str, Known]] = field(default_factory=list)

    @contextmanager
    def opened(self, copy: Path, **settings: object) -> Iterator[tuple[Fleet, Known]]:
        """Serve a copy of the prepared fleet."""
        if postgresql.is_selected():  # The database is not in the folder.
            with open_fleet(copy, **settings) as fleet:
                yield fleet, self.prepare(fleet)
            return
        if not self._left:
            # What the tests do with the copies executes the same code.
            with untraced_with_all_it_starts(), open_fleet(self.folder) as fleet:
                self._left.append((fleet.agent_id, self.prepare(fleet)))
        agent_id, known = self._left[0]
        shutil.copytree(self.folder, copy)
        with open_fleet(copy, agent_id, **settings) as fleet:
            yield fleet, known


def settle(fleet: Fleet) -> WatchedFleet:
    """Add a watch and let its looks find no change for so many days that it knows how much runs vary."""
    watched = WatchedFleet.of(fleet)
    watched.add()
    watched.pass_days(FORMER)
    return watched


def tag_runs(fleet: Fleet, count: int = FORMER, failing: Collection[str] = ()) -> list[str]:
    """Measure runs and give them the tag `main`; return their ids."""
    found = []
    for seed in range(count):
        run_id = fleet.submit()
        measure(fleet, run_id, 500 + seed, failing=failing)
        with fleet.database.write() as session:
            session.add(RunTag(run_id=run_id, tag="main"))
        found.append(run_id)
    return found
