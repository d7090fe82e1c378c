"""Estimates of the builds that an agent has to make before it can execute a plan."""

from collections.abc import Collection, Mapping

from sqlalchemy.orm import Session

from orchestrator.builds import requests
from orchestrator.runs.planning.estimation import repository
from orchestrator.runs.planning.expansion import Expansion
from orchestrator.runs.schemas import BuildEstimate
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.languages.all_languages import LANGUAGES, language_of_tool

ASSUMED_SECONDS = 120.0
"""Duration of a build on an agent without earlier builds: about 60 s with 2 cores of x86-64, 2026-11; a Raspberry Pi 4
needs several minutes."""


_LANGUAGE_SECONDS = 60.0
"""Assumed duration of the build of a language: mostly the known answers of its provider (about 40 s in CPython)."""

_LIBRARY_SECONDS = 60.0
"""Assumed duration of the build of one library: 50 s with 2 cores of x86-64, 2026-11."""

_PACKAGES = {"gcc": "g++", "clang": "clang"} | {
    tool.name: tool.package for language in LANGUAGES for tool in language.tools
}
"""Debian packages of compilers and of the tools of languages."""


def estimate_builds(session: Session, expansion: Expansion) -> dict[str, list[BuildEstimate]]:
    """Return for each agent the toolchains that it has to build first, with their expected duration."""
    missing = {
        agent_id: [toolchain for toolchain, build in builds.items() if build.build_id is None]
        for agent_id, builds in expansion.requested_builds().items()
    }
    failures = requests.get_failures(session, missing)
    compilers = repository.installed_compilers(session, list(missing))
    return {
        agent_id: [
            _estimate(
                toolchain,
                repository.build_seconds(session, agent_id),
                failures.get((agent_id, toolchain)),
                compilers.get(agent_id),
            )
            for toolchain in toolchains
        ]
        for agent_id, toolchains in missing.items()
        if toolchains
    }


def expected_seconds(toolchain: Toolchain, earlier: Mapping[Toolchain | None, float]) -> tuple[float, str]:
    """Return the expected duration of a build and its basis.

    earlier: durations of the agent's builds; the key None is its default build.
    """
    if toolchain in earlier:
        return earlier[toolchain], "An earlier build of this toolchain on this agent."
    if language_of_tool(toolchain.compiler) is not None:
        return _LANGUAGE_SECONDS, "Assumed for the provider of a language."
    if toolchain.library is not None:
        return _LIBRARY_SECONDS, "Assumed for the runner of one library."
    if None in earlier:
        return earlier[None], "The default build of this agent."
    return ASSUMED_SECONDS, "Assumed: this agent has not reported the duration of any build."


def _estimate(
    toolchain: Toolchain,
    earlier: Mapping[Toolchain | None, float],
    earlier_failure: str | None,
    compilers: Collection[str] | None,
) -> BuildEstimate:
    seconds, basis = expected_seconds(toolchain, earlier)
    return BuildEstimate(
        toolchain=toolchain,
        toolchain_words=toolchain.words,
        estimated_seconds=seconds,
        basis=basis,
        earlier_failure=earlier_failure,
        obstacle=_obstacle(toolchain.compiler, compilers),
    )


def _obstacle(compiler: str, installed: Collection[str] | None) -> str | None:
    """Return that the compiler is missing and what installs it; None if it is installed, or nothing is known of it."""
    if installed is None or compiler in installed:
        return None
    package = _PACKAGES.get(compiler)
    remedy = f"Install it there: sudo apt-get install -y {package}" if package else "Install it there"
    return f"{compiler} is not in the agent's inventory; without it, its cases are skipped. {remedy}"
