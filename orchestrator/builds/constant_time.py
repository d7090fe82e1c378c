"""Constant time of a build's implementations: what their code claims, and what the agent found."""

from sqlalchemy.orm import Session

from orchestrator.builds import repository
from orchestrator.builds.schemas import NOT_CHECKED, ConstantTimeFigures, ConstantTimeSummary, ResultsCreated
from orchestrator.builds.service import known_build, own_build
from orchestrator.database.engine import Database
from orchestrator.database.models import Build, ConstantTimeCheck, now
from orchestrator.shared.errors import InvalidRequest
from orchestrator.wire.builds import ConstantTimeReport, ConstantTimeResult


def report_constant_time(
    database: Database, agent_id: str, build_key: str, report: ConstantTimeReport
) -> ResultsCreated:
    """Store what an agent found; a later result of the same implementation replaces the earlier.

    Raises NotFound, and InvalidRequest for an implementation that the build does not list.
    """
    with database.write() as session:
        build = own_build(session, agent_id, build_key)
        listed = claims_of(build)
        for result in report.results:
            identity = _identity(result)
            if identity not in listed:
                raise InvalidRequest(
                    f"Build {build_key[:12]} does not list {' '.join(identity)[:120]!r}.",
                    remedy="Report results of implementations that the build's runners list.",
                    field="results",
                )
        at = now()
        results = [result.model_dump() | {"checked_at": at} for result in report.results]
        repository.store_results(session, ConstantTimeCheck, build.id, results)
    return ResultsCreated(stored=len(report.results))


def claims_of(build: Build) -> dict[tuple[str, str, str], bool | None]:
    """Return what the code of each listed implementation claims, by provider, algorithm and variant."""
    return {
        (provider, row["algorithm"], row["variant"]): row.get("constant_time")
        for provider, runner in build.runners.items()
        for row in runner["listing"]["implementations"]
        if row["variant"] is not None
    }


def constant_time_figures(claimed: bool | None, found: ConstantTimeCheck | None) -> ConstantTimeFigures:
    """Return claim and check of an implementation."""
    if found is None:
        return NOT_CHECKED.model_copy(update={"claimed": claimed})
    return ConstantTimeFigures.from_row(found, claimed=claimed)


def _identity(one: ConstantTimeCheck | ConstantTimeResult) -> tuple[str, str, str]:
    return one.provider, one.algorithm, one.variant


def list_constant_time(session: Session, build_id: int) -> list[ConstantTimeSummary]:
    """Return claim and check of each listed implementation of a build; raises NotFound."""
    build = known_build(session, build_id)
    found = {_identity(one): one for one in repository.list_constant_time_checks(session, [build_id])}
    rows = []
    for (provider, algorithm, variant), claimed in sorted(claims_of(build).items()):
        figures = constant_time_figures(claimed, found.get((provider, algorithm, variant)))
        implementation = {"provider": provider, "algorithm": algorithm, "variant": variant}
        rows.append(ConstantTimeSummary.from_row(figures, **implementation))
    return rows
