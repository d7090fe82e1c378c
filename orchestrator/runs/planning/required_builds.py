"""What a run needs built before it can be laid out: asked for, estimated."""

from collections.abc import Mapping

from sqlalchemy.orm import Session

from orchestrator.builds import requests
from orchestrator.runs import repository
from orchestrator.runs.planning.estimate import BUILD_SECONDS
from orchestrator.runs.planning.planner import Expansion
from orchestrator.runs.schemas import BuildEstimate
from orchestrator.wire.builds import Toolchain


def ask_for_builds(session: Session, run_id: str, expansion: Expansion) -> bool:
    """Link a run to every toolchain that its cases name, and open the requests for those that no build is there of.

    Needs a write transaction; again changes nothing. Returns whether there is something to wait for.
    """
    wanted = {
        agent_id: {toolchain: build.build_id for toolchain, build in builds.items() if build.failure is None}
        for agent_id, builds in expansion.requested().items()
    }
    requests.ask(session, run_id, wanted)
    return any(build_id is None for builds in wanted.values() for build_id in builds.values())


def build_estimates(session: Session, expansion: Expansion) -> dict[str, list[BuildEstimate]]:
    """Return for each agent the toolchains that it has to build first, and how long that will take."""
    wanted = {
        agent_id: [toolchain for toolchain, build in builds.items() if build.build_id is None]
        for agent_id, builds in expansion.requested().items()
    }
    failures = requests.failures(session, wanted)
    return {
        agent_id: [
            _estimate(toolchain, repository.build_seconds(session, agent_id), failures.get((agent_id, toolchain)))
            for toolchain in toolchains
        ]
        for agent_id, toolchains in wanted.items()
        if toolchains
    }


def _estimate(
    toolchain: Toolchain, earlier: Mapping[Toolchain | None, float], earlier_failure: str | None
) -> BuildEstimate:
    if toolchain in earlier:
        seconds, basis = earlier[toolchain], "An earlier build of this toolchain on this agent."
    elif None in earlier:
        seconds, basis = earlier[None], "The default build of this agent."
    else:
        seconds, basis = BUILD_SECONDS, "Assumed: this agent has told of no build how long it took."
    return BuildEstimate(
        toolchain=toolchain,
        toolchain_words=toolchain.words,
        estimated_seconds=seconds,
        basis=basis,
        earlier_failure=earlier_failure,
    )
