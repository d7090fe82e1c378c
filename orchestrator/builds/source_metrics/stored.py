"""Stored figures of source code."""

from collections.abc import Iterable

from orchestrator.builds.service import known_build
from orchestrator.builds.source_metrics.schemas import ImplementationSource, SourceGroup
from orchestrator.database.engine import Database
from orchestrator.database.models import Build


def sources_of_build(database: Database, build_id: int) -> list[ImplementationSource]:
    """Return the figures of each implementation of a build; raises NotFound. Empty until they were measured."""
    with database.read() as session:
        build = known_build(session, build_id)
    return sorted(by_implementation([build]).values(), key=lambda one: (one.provider, one.algorithm, one.variant))


def by_implementation(builds: Iterable[Build]) -> dict[tuple[int, str, str, str], ImplementationSource]:
    """Return the stored figures by build, provider, algorithm and variant."""
    found = {}
    for build in builds:
        for document in build.sources or ():
            group = SourceGroup.model_validate(document)
            for provider, algorithm, variant in group.implementations:
                found[build.id, provider, algorithm, variant] = ImplementationSource(
                    provider=provider, algorithm=algorithm, variant=variant, source=group.source, reason=group.reason
                )
    return found
