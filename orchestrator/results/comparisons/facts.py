"""Facts of a side of a comparison that may explain a difference, from what the database stores."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from orchestrator.agents.devices import topics_of
from orchestrator.database.models import Build, Run
from orchestrator.results.answers import repository as answers
from orchestrator.results.comparisons import repository
from orchestrator.results.comparisons.changes import ComparedCompiler, MeasuredFigure, SideFacts
from orchestrator.results.comparisons.sides import Dimension, MeasuredCase
from orchestrator.shared.units import format_size
from orchestrator.shared.values.text import flat
from orchestrator.wire.builds import build_words

_NO_PART_OF_A_PLAN = ("name", "description")
_HEXADECIMAL_SHOWN = 12


def side_facts(
    session: Session, run: Run, cases: Sequence[MeasuredCase], crossed: Sequence[Dimension], *, seeded: bool
) -> SideFacts:
    """Return the facts of the cases of a side.

    crossed: properties that are compared and so name no subject. seeded: whether a plan of the comparison has a seed.
    """
    facts = SideFacts()
    _add_plan(facts, run, seeded=seeded)
    for case in cases:
        if case.given.kind:
            subject = f"{case.given.kind} of {format_size(case.given.length_bytes)}"
            facts.add("corpus", subject, case.given.input_sha256[:_HEXADECIMAL_SHOWN])
    agents = {case.candidate.agent_id: case.agent for case in cases}
    for agent_id, name in agents.items():
        own = [case for case in cases if case.candidate.agent_id == agent_id]
        prefix = f"{name}: " if len(agents) > 1 and "agent" not in crossed else ""
        _add_builds(session, facts, own, prefix, crossed)
        _add_machine(session, facts, run.id, agent_id, prefix)
        _add_surroundings(session, facts, run.id, own, prefix)
    return facts


def _add_plan(facts: SideFacts, run: Run, *, seeded: bool) -> None:
    for path, value in flat(run.plan):
        if path not in _NO_PART_OF_A_PLAN:
            facts.add("plan", path, value)
    # Without plans that name a seed, each run has drawn one: it changes the order of executions and nothing else.
    if seeded:
        facts.add("plan", "seed", run.seed)


def _add_builds(
    session: Session, facts: SideFacts, cases: Sequence[MeasuredCase], prefix: str, crossed: Sequence[Dimension]
) -> None:
    used = {case.candidate.build_id for case in cases}
    providers = {case.candidate.provider for case in cases}
    builds = answers.builds(session, used)
    for build in builds.values():
        words = build_words(build.toolchain, build.cross_built)
        subject = (
            f"{prefix}{words}" if "toolchain" not in crossed and len(builds) > 1 else prefix.rstrip(": ") or "build"
        )
        facts.add("compiler", subject, build.compiler_version and ComparedCompiler(build.compiler_version))
        facts.add("compiler", f"{subject}, options", words)
        facts.add("sources", subject, (build.source_sha256 or "")[:_HEXADECIMAL_SHOWN])
        origin = build.cross_built["host_name"] if build.cross_built else None
        facts.add("compiler", f"{subject}, compiled on", origin)
        for target, command in build.compile_commands.items():
            facts.add("flags", f"{subject}, {target}", command)
        # Two providers are two libraries in any case, which is no change.
        if "provider" not in crossed:
            _add_runners(facts, build, providers, subject)


def _add_runners(facts: SideFacts, build: Build, providers: set[str], subject: str) -> None:
    for provider in sorted(providers & build.runners.keys()):
        runner: Mapping[str, Any] = build.runners[provider]
        facts.add("libraries", f"{subject}, {provider}", runner["listing"].get("version"))
        library = runner.get("library_sha256")
        facts.add("hashes", f"{subject}, runner {provider}", runner["sha256"][:_HEXADECIMAL_SHOWN])
        facts.add("hashes", f"{subject}, library of {provider}", library and library[:_HEXADECIMAL_SHOWN])


def _add_machine(session: Session, facts: SideFacts, run_id: str, agent_id: str, prefix: str) -> None:
    for inventory in repository.inventories(session, run_id, agent_id)[-1:]:
        for topic, name, value in topics_of(inventory.facts):
            facts.add(topic, f"{prefix}{name}", value)
    for result in (repository.last_preflight(session, run_id, agent_id) or {}).get("results", ()):
        topic = "governor" if result["name"] == "governor" else "preflight"
        facts.add(topic, f"{prefix}preflight check {result['name']}", f"{result['state']}: {result['found']}")


def _add_surroundings(
    session: Session, facts: SideFacts, run_id: str, cases: Sequence[MeasuredCase], prefix: str
) -> None:
    found = repository.surroundings(
        session, run_id, cases[0].candidate.agent_id, {case.candidate.build_id for case in cases}
    )
    celsius, hertz = found.temperature_celsius, found.frequency_hz
    if celsius is not None:
        facts.add("temperature", f"{prefix}mean before an execution", MeasuredFigure(celsius, f"{celsius:.1f} °C"))
    if hertz is not None:
        facts.add("frequency", f"{prefix}mean before an execution", MeasuredFigure(hertz, f"{hertz / 1e9:.3f} GHz"))
    if found.executions:
        facts.add(
            "throttling",
            f"{prefix}throttled executions",
            MeasuredFigure(float(found.throttled), f"{found.throttled} of {found.executions}"),
        )
        share = found.disturbed / found.executions
        label = f"{found.disturbed} of {found.executions}"
        facts.add("disturbances", f"{prefix}disturbed executions", MeasuredFigure(share, label))
