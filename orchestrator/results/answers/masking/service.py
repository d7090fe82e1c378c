"""The overhead of masking in a run: masked ciphers compared with their unmasked variants, for each generator."""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from sqlalchemy.orm import Session

from orchestrator.compilation.evidence.forms import STATEMENT, MaskedForm, evidence_of
from orchestrator.compilation.evidence.storage import read_evidence
from orchestrator.results.answers import repository
from orchestrator.results.answers.facts import facts_of_agents
from orchestrator.results.answers.masking.orders import compare_orders
from orchestrator.results.answers.masking.schemas import MaskingAnswer
from orchestrator.results.answers.masking.sums import TERMS, AgentSums
from orchestrator.results.answers.masking.tables import Drawn, Draws, Examined, MaskedTable
from orchestrator.results.answers.readings import Candidate, ReadingsCache, RunReadings, candidate_of, input_of
from orchestrator.results.freshness.service import RunSnapshot
from orchestrator.shared.errors import InvalidRequest
from orchestrator.statistics.ranking import rank_together

OWN = "own"
"""Provider of the masked variants that the evidence examines."""
PAPER_SHARES = 4
"""Number of shares of the published rankings."""


def read_masking(
    seen: RunSnapshot,
    cache: ReadingsCache,
    shares: int | None = None,
    generator: str | None = None,
    *,
    cache_folder: Path,
    with_disturbed: bool = True,
) -> Callable[[], MaskingAnswer]:
    """Read a run; return what computes the overhead of masking with these shares and a generator or all, afterwards.

    shares: by default 4 as in the published rankings, or the lowest number that the run has. cache_folder: where the
    evidence of masking is stored. Raises InvalidRequest for a number of shares or a generator that the run lacks.
    """
    session, run_id = seen.session, seen.run.id
    readings = cache.get(session, run_id, with_disturbed)
    masked = [one for one in sorted(readings.latency) if one.form.shares]
    available = sorted({one.form.shares for one in masked})
    generators = sorted({one.form.generator for one in masked})
    chosen = _chosen_shares(shares, available)
    if generator is not None and generator not in generators:
        known = ", ".join(generators) or "none"
        raise InvalidRequest(
            f"This run has no generator {generator[:40]!r}.", remedy=f"It has: {known}.", field="generator"
        )
    selected = [one for one in masked if one.form.shares == chosen and generator in (None, one.form.generator)]
    tables = _tables(session, run_id, readings, selected)
    draws = _draws(session, run_id, selected)
    examined = _examined(session, selected, cache_folder)

    def compute() -> MaskingAnswer:
        fields = {f"{n} {name}": field for n, table in enumerate(tables) for name, field in table.fields().items()}
        key = ("masking", chosen, generator, tuple((name, field.noise_floor) for name, field in fields.items()))
        ranking = readings.once(key, lambda: rank_together(fields))
        answered = [
            table.answer(
                {
                    name: {place.name: place for place in ranking.places.get(f"{n} {name}", ())}
                    for name in ("overhead", "relative")
                },
                draws,
                examined,
            )
            for n, table in enumerate(tables)
        ]
        return MaskingAnswer(
            run_id=run_id,
            shares=chosen,
            available_shares=available,
            generators=generators,
            terms=TERMS,
            comparisons=ranking.comparisons,
            tables=answered,
            evidence_statement=STATEMENT,
            orders=compare_orders(answered),
        )

    return compute


def _chosen_shares(shares: int | None, available: Sequence[int]) -> int | None:
    if shares is None:
        return PAPER_SHARES if PAPER_SHARES in available else next(iter(available), None)
    if shares not in available:
        known = ", ".join(map(str, available)) or "no masked cases"
        raise InvalidRequest(
            f"This run has no masked cases with {shares} shares.", remedy=f"It has: {known}.", field="shares"
        )
    return shares


def _tables(session: Session, run_id: str, readings: RunReadings, selected: Sequence[Candidate]) -> list[MaskedTable]:
    """Return a table for each agent and generator."""
    found: dict[str, dict[str, list[Candidate]]] = defaultdict(lambda: defaultdict(list))
    for candidate in selected:
        found[candidate.agent_id][candidate.form.generator].append(candidate)
    tables = []
    for agent_id, of_generator in found.items():
        candidates = readings.of_agent(agent_id, "call")
        facts = facts_of_agents(session, run_id, candidates)[agent_id]
        sums = AgentSums.of(candidates)
        secure = _security(session, {one.build_id for one in candidates})
        tables += [
            MaskedTable.of(facts, sums, masked, generator, secure.get(generator))
            for generator, masked in sorted(of_generator.items())
        ]
    return sorted(tables, key=lambda table: (table.facts.agent_name, table.generator))


def _security(session: Session, build_ids: Collection[int]) -> dict[str, bool]:
    """Return whether each generator is secure, as the runners of these builds list it."""
    return {
        one["name"]: bool(one["secure"])
        for build in repository.builds(session, build_ids).values()
        for runner in build.runners.values()
        for one in runner["listing"].get("generators", ())
    }


def _examined(session: Session, selected: Collection[Candidate], cache_folder: Path) -> Examined:
    """Return the evidence of each masked candidate whose sources were examined, bound by their SHA-256."""
    builds = repository.builds(session, {one.build_id for one in selected})
    sources = {build.source_sha256 for build in builds.values() if build.source_sha256}
    stored = {source: read_evidence(cache_folder, source) for source in sources}
    found = {}
    for one in selected:
        build = builds[one.build_id]
        evidence = stored.get(build.source_sha256) if build.source_sha256 and one.provider == OWN else None
        if evidence is not None:
            compilation = build.runners[OWN]["listing"]["build"]
            form = MaskedForm(one.algorithm, one.variant, one.form.shares, one.form.degree)
            found[one] = evidence_of(evidence, compilation, form)
    return found


def _draws(session: Session, run_id: str, selected: Collection[Candidate]) -> Draws:
    """Return the random bytes of each call, from the typical execution of its case."""
    chosen = set(selected)
    cases = {
        case.id: case
        for case, _, _ in repository.cases_of_run(session, run_id)
        if case.shares is not None and case.protocol == "latency" and candidate_of(case) in chosen
    }
    found = {}
    for row in repository.typical_executions(session, list(cases)):
        case, document = cases[row.case_id], row.readings or {}
        drawn = Drawn(document.get("random_bytes"), document.get("random_wall_ns"))
        found[candidate_of(case), input_of(case)] = drawn
    return found
