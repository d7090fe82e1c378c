"""Queries for the properties of a run's cases and for the run before it."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from orchestrator.database.models import Build, Case, CaseStatistics, Run
from orchestrator.wire.builds import build_words

_FORMER_RUNS_READ = 50


class Combination(NamedTuple):
    """Properties that cases of a run have together."""

    agent_id: str
    build_id: int
    provider: str
    variant: str
    algorithm: str
    shares: int | None
    masking: str | None
    generator: str | None

    @property
    def cipher(self) -> tuple[object, ...]:
        """Algorithm and masking: cases that differ in them are never compared."""
        return self.algorithm, self.shares, self.masking, self.generator


def combinations(session: Session, run_id: str) -> list[Combination]:
    """Return the agents, builds, providers, variants and ciphers of the cases of a run that encrypt."""
    query = select(*(getattr(Case, name) for name in Combination._fields))
    rows = session.execute(query.where(Case.run_id == run_id, Case.operation != "noop").distinct())
    return [Combination._make(row) for row in rows]


class BuildLabels(NamedTuple):
    """Toolchain of a build, and the versions of its libraries."""

    toolchain: str
    versions: dict[str, str]
    """By provider, as its runner lists it."""


def build_labels(session: Session, build_ids: Collection[int], providers: Sequence[str]) -> dict[int, BuildLabels]:
    """Return the labels of builds without reading what their runners list, which may be a megabyte."""
    versions = [Build.runners[provider]["listing"]["version"].as_string() for provider in providers]
    query = select(Build.id, Build.toolchain, Build.cross_built, *versions).where(Build.id.in_(list(build_ids)))
    return {
        row[0]: BuildLabels(
            build_words(row[1], row[2]), {name: found for name, found in zip(providers, row[3:], strict=True) if found}
        )
        for row in session.execute(query)
    }


def former_runs(session: Session, run: Run) -> Sequence[Run]:
    """Return the runs with a verified result before this one that have its name, the latest first."""
    verified = exists().where(Case.run_id == Run.id, CaseStatistics.case_id == Case.id, CaseStatistics.ok > 0)
    query = select(Run).where(
        Run.name == run.name, Run.submitted_at < run.submitted_at, Run.deleted_at.is_(None), verified
    )
    return session.scalars(query.order_by(Run.submitted_at.desc()).limit(_FORMER_RUNS_READ)).all()
