"""Measuring of the source code behind builds: by the scheduler, once for each build, from the service's sources."""

import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import structlog

from orchestrator.builds import repository
from orchestrator.builds.requests import shipped_language_sha256
from orchestrator.builds.source_metrics.figures import figures_of
from orchestrator.builds.source_metrics.files import OWN, source_files
from orchestrator.builds.source_metrics.schemas import SourceFigures, SourceGroup
from orchestrator.compilation.reference.known_answers import own_source_sha256
from orchestrator.database.engine import Database
from orchestrator.shared.priority import lower_priority
from orchestrator.shared.resources import shipped
from orchestrator.wire.languages.all_languages import language_of_provider

_OTHER_SOURCES = "its sources are not those of this service"
_OF_LIBRARY = "this service does not have its source code: that of a library, or of a runner of its own"
_NOT_FOUND = "its files were not found among the sources"
_NICENESS = 10
_TEXT_SUFFIXES = (".cpp", ".h", ".cmake", ".py", ".js", ".go", ".rs", ".java")

_log = structlog.get_logger(__name__)


def needs_measuring(database: Database) -> bool:
    """Return whether a build lacks the figures of its source code."""
    with database.read() as session:
        return bool(repository.builds_without_sources(session, 1))


def measure_next(database: Database) -> int:
    """Measure the source code of the newest build that lacks it; return how many were measured."""
    # No client waits for it: other threads of the scheduler come first.
    lower_priority(threading.get_native_id(), _NICENESS)
    with database.read() as session:
        waiting = repository.builds_without_sources(session, 1)
    for build in waiting:
        found = [one.model_dump(mode="json") for one in measure(build.source_sha256, build.runners)]
        with database.write() as session:
            repository.store_sources(session, build.id, found)
        _log.info("source code measured", build_id=build.id, groups=len(found))
    return len(waiting)


def measure(sha256: str | None, runners: Mapping[str, Any]) -> list[SourceGroup]:
    """Return the figures of every implementation that the runners of a build list, those with equal files together.

    sha256: of the sources that the build was made of.
    """
    groups: dict[tuple[str, ...] | str, SourceGroup] = {}
    for provider, runner in sorted(runners.items()):
        reason = _obstacle(provider, sha256)
        for row in (one for one in runner["listing"]["implementations"] if one["variant"] is not None):
            names = (provider, row["algorithm"], row["variant"])
            files = () if reason else tuple(source_files(_texts(), *names, row.get("kind")))
            why = reason or ("" if files else _NOT_FOUND)
            group = groups.get(files or why)
            if group is None:
                source = _figures_of(files) if files else None
                group = groups[files or why] = SourceGroup(implementations=[], source=source, reason=why)
            group.implementations.append(names)
    return list(groups.values())


def _obstacle(provider: str, sha256: str | None) -> str:
    """Return why the sources of a provider cannot be measured; empty if they can."""
    language = language_of_provider(provider)
    if provider != OWN and language is None:
        return _OF_LIBRARY
    offered = shipped_language_sha256(language) if language else own_source_sha256()
    return "" if sha256 == offered else _OTHER_SOURCES


@cache
def _texts() -> dict[str, str]:
    folder = shipped("runners")
    paths = sorted(path for suffix in _TEXT_SUFFIXES for path in folder.rglob(f"*{suffix}"))
    return {_relative(path, folder): path.read_text(encoding="utf-8") for path in paths}


def _relative(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


@cache
def _figures_of(files: tuple[str, ...]) -> SourceFigures:
    texts = _texts()
    return figures_of([(path, texts[path].encode()) for path in files])
