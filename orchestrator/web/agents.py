"""The list of agents and the page of one agent, as views."""

from collections import defaultdict
from collections.abc import Sequence

from sqlalchemy.orm import Session

from orchestrator.database.models import Agent, Build, Inventory, Proof
from orchestrator.errors import NotFound
from orchestrator.web import assemble, repository
from orchestrator.web.views import AgentCard, AgentListPage, AgentPage, BuildCard

RUNS_SHOWN = 10


def agent_list(session: Session) -> AgentListPage:
    """Return all agents."""
    agents = repository.agents(session)
    inventories = repository.inventories(session, agents)
    return AgentListPage(agents=[_card(agent, inventories.get(agent.id)) for agent in agents])


def agent_page(session: Session, agent_id: str) -> AgentPage:
    """Return one agent; raises NotFound."""
    agent = repository.agent(session, agent_id)
    if agent is None:
        raise NotFound(f"There is no agent {agent_id!r}.", remedy="The page of agents lists all of them.")
    inventory = repository.inventories(session, [agent]).get(agent_id)
    calibrations = repository.calibrations(session, [agent_id])
    return AgentPage(
        card=_card(agent, inventory),
        inventory=inventory.facts if inventory else None,
        detected_at=inventory.detected_at if inventory else None,
        builds=_builds(session, agent_id),
        calibrations=[assemble.calibration_row(found, build) for found, build in calibrations],
        runs=assemble.run_cards(session, repository.runs_of_agent(session, agent_id, RUNS_SHOWN)),
    )


def _card(agent: Agent, inventory: Inventory | None) -> AgentCard:
    facts = assemble.inventory_facts(inventory)
    return AgentCard(
        agent=assemble.agent_name(agent),
        state=agent.state,
        doing=agent.doing,
        heard_at=agent.heard_at,
        enrolled_at=agent.enrolled_at,
        approved=agent.approved_at is not None,
        revoked=agent.revoked_at is not None,
        model=facts.device_model if facts else None,
        processor=facts.processor.model if facts else None,
        architecture=facts.processor.architecture if facts else None,
        memory_bytes=facts.memory_bytes if facts else None,
        emulated=facts.emulated if facts else False,
        spool_records=agent.spool_records,
    )


def _builds(session: Session, agent_id: str) -> list[BuildCard]:
    builds = repository.builds_of_agent(session, agent_id)
    proofs: dict[int, list[Proof]] = defaultdict(list)
    for proof in repository.proofs(session, [build.id for build in builds]):
        proofs[proof.build_id].append(proof)
    return [_build_card(build, proofs[build.id]) for build in builds]


def _build_card(build: Build, proofs: Sequence[Proof]) -> BuildCard:
    return BuildCard(
        build_key=build.build_key,
        toolchain=assemble.toolchain_text(build),
        compiler_version=build.compiler_version,
        prebuilt=build.prebuilt,
        current=build.current,
        reported_at=build.reported_at,
        build_wall_ns=build.build_wall_ns,
        providers={name: str(runner["listing"]["version"]) for name, runner in sorted(build.runners.items())},
        left_out={name: str(reason) for name, reason in build.left_out.items()},
        passed=sum(proof.passed for proof in proofs),
        refused=[
            f"{proof.provider} {proof.algorithm} {proof.variant}: {proof.detail or 'known answers did not pass'}"
            for proof in proofs
            if not proof.passed
        ],
    )
