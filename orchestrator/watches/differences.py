"""Changes between the former runs of a watch and a look that reported worse or better cases."""

from typing import cast

from sqlalchemy.orm import Session

from orchestrator.database.engine import Database
from orchestrator.database.models import Watch, WatchLook
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.comparisons.differences import differences
from orchestrator.results.measures import RankingMeasure
from orchestrator.runs.repository import get_run
from orchestrator.watches import repository
from orchestrator.watches.judgment import WINDOW
from orchestrator.watches.schemas import LookDifferences


def look_differences(database: Database, cache: ReadingsCache, watch: Watch, look: WatchLook) -> LookDifferences:
    """Return in what the run of a look differs from most of the runs that it was compared with."""
    with database.read() as session:
        run_ids = repository.runs_of_looks(session, [look.id]).get(look.id, [])
        run_id = run_ids[0] if run_ids and get_run(session, run_ids[0]) is not None else None
        former = [one for one in _former_ids(session, watch, look) if get_run(session, one) is not None]
    if run_id is None or not former:
        gone = "run of the look was" if run_id is None else "former runs were"
        reason = f"The {gone} deleted."
        return LookDifferences(look=look.number, run_id=None, former_run_ids=[], changed=[], reason=reason)
    changed = differences(database, cache, run_id, former, cast(RankingMeasure, look.measure))
    return LookDifferences(look=look.number, run_id=run_id, former_run_ids=former, changed=changed, reason="")


def _former_ids(session: Session, watch: Watch, look: WatchLook) -> list[str]:
    """Return the runs that a look was compared with, oldest first."""
    if watch.baseline_run_id is not None:
        return [watch.baseline_run_id]
    if watch.baseline_tag is not None:
        tagged = repository.finished_runs_with_tag(session, watch.baseline_tag, WINDOW)
        return [run.id for run in reversed(tagged) if run.submitted_at < look.began_at]
    return repository.former_run_ids(session, look, WINDOW)
