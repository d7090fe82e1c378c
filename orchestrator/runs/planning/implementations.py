"""Resolution of a matrix's patterns to implementations, with reasons for what an agent cannot execute. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from orchestrator.runs.planning.budget import PATTERN_STEPS, Budget
from orchestrator.runs.planning.library_versions import check_libraries
from orchestrator.runs.planning.masking import FORM_STEPS, max_forms, select_forms
from orchestrator.runs.planning.offers import AgentOffer, OfferedImplementation, Runners
from orchestrator.runs.planning.patterns import is_pattern, matching, suggestion
from orchestrator.shared.errors import PlanRefused
from orchestrator.shared.values.forms import UNMASKED, Form
from orchestrator.wire.base import NOOP, NOOP_VARIANT
from orchestrator.wire.languages.all_languages import language_of_provider, language_of_tool
from orchestrator.wire.languages.base import Language
from orchestrator.wire.messages import CIPHER_SEQUENCE, Call, Operation, operations_of
from orchestrator.wire.plans import ALL, CHOSEN_VARIANTS, DEFAULT_VARIANT, SMALLEST_VARIANT, Masking, Matrix, Plan

RESOLUTION_STEPS = 2
"""Steps of the resolution of one provider, algorithm and variant."""


@dataclass(frozen=True, slots=True)
class ChosenImplementation:
    """An implementation that a matrix chose, and the messages that it accepts."""

    provider: str
    algorithm: str
    variant: str
    operations: tuple[Operation, ...] = field(default=operations_of(None), compare=False)
    sequence: str = field(default=CIPHER_SEQUENCE, compare=False)
    """Operations that the process protocol executes on a chunk; empty for none."""
    whole_block_bytes: int | None = None
    """Message lengths must be a multiple of this; None: any length."""
    form: Form = UNMASKED


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A combination that a matrix names and an agent cannot execute."""

    provider: str
    algorithm: str | None
    variant: str | None
    reason: str
    implementations: int = 1
    """Number of implementations that the combination covers."""


@dataclass(frozen=True)
class RunnerSet:
    """The runners of one build, against which patterns are resolved."""

    agent_name: str
    runners: Runners
    missing_providers: Mapping[str, str]
    """Provider → why it was not built."""
    language: Language | None = None
    """Language whose tool makes the build; None for native compilers."""
    library: str | None = None
    """Provider of a build that has one library in one version; None for a build of all runners."""

    @cached_property
    def by_algorithm(self) -> Mapping[str, Mapping[str, Sequence[OfferedImplementation]]]:
        """Implementations by provider and algorithm."""
        found: dict[str, dict[str, list[OfferedImplementation]]] = {}
        for provider, rows in self.runners.items():
            listed = found.setdefault(provider, {})
            for row in rows:
                listed.setdefault(row.algorithm, []).append(row)
        return found


class Resolver:
    """Resolves the matrices of a plan against the runners of all its agents."""

    def __init__(
        self, plan: Plan, agents: Sequence[AgentOffer], runner_sets: Sequence[RunnerSet], budget: Budget
    ) -> None:
        """Check that every pattern of the plan matches a name of some agent; raise PlanRefused where one does not."""
        self._plan = plan
        self._budget = budget
        toolchains = plan.all_toolchains()
        self._languages = {language_of_tool(toolchain.compiler) for toolchain in toolchains} if toolchains else {None}
        default = [
            RunnerSet(agent.name, agent.build.runners, agent.build.missing_providers) for agent in agents if agent.build
        ]
        every = [*default, *runner_sets]
        listed = [row for one in every for rows in one.runners.values() for row in rows]
        budget.spend(len(listed), "builds")
        self._providers = _Names({name for one in every for name in (*one.runners, *one.missing_providers)}, budget)
        self._algorithms = _Names({row.algorithm for row in listed} - {NOOP}, budget)
        self._variants = _Variants.of(listed, budget)
        operations = _Names({one.name for found in {row.operations for row in listed} for one in found}, budget)
        for index, matrix in enumerate(plan.matrix):
            self._check("provider", f"matrix[{index}].providers", matrix.providers, self._providers)
            names = [name for name in matrix.algorithms if name != NOOP]
            self._check("algorithm", f"matrix[{index}].algorithms", names, self._algorithms)
            self._check_variants(f"matrix[{index}]", matrix)
            if matrix.messages is not None:
                called = [Call.of(name).operation for name in matrix.messages.operations]
                self._check("operation", f"matrix[{index}].messages.operations", called, operations)
        self._expanded = [
            (_expanded(matrix.providers, self._providers), _expanded(matrix.algorithms, self._algorithms))
            for matrix in plan.matrix
        ]
        check_libraries(plan, self._providers.names, {one for providers, _ in self._expanded for one in providers})

    def resolve(
        self, runner_set: RunnerSet, matrix_index: int, builds: int
    ) -> tuple[list[ChosenImplementation], list[Unresolved]]:
        """Return the implementations and the unresolved combinations of one matrix, each once, in a fixed order.

        builds: number of builds that the runners are expected in; each is resolved on its own when the run is laid out.
        """
        providers, algorithms = self._expanded[matrix_index]
        matrix = self._plan.matrix[matrix_index]
        variants = tuple(dict.fromkeys(matrix.variants))
        combinations = len(providers) * max(1, len(algorithms)) * len(variants)
        self._budget.spend(combinations * builds * RESOLUTION_STEPS, "providers, algorithms and variants")
        chosen: dict[ChosenImplementation, None] = {}
        unresolved: dict[Unresolved, None] = {}
        for provider in (one for one in providers if self.makes(runner_set, one)):
            rows = runner_set.runners.get(provider)
            if rows is None:
                language = language_of_provider(provider)
                reason = (
                    _of_other_toolchains(provider, language, runner_set)
                    or runner_set.missing_providers.get(provider)
                    or f"{runner_set.agent_name} has no runner of {provider}."
                )
                unresolved[Unresolved(provider, None, None, reason, max(1, len(algorithms)))] = None
                continue
            by_algorithm = runner_set.by_algorithm[provider]
            for algorithm in algorithms:
                listed = rows if algorithm == NOOP else by_algorithm.get(algorithm, ())
                for found in self._resolve_algorithm(provider, listed, algorithm, matrix, builds):
                    if isinstance(found, ChosenImplementation):
                        chosen[found] = None
                    else:
                        unresolved[found] = None
        return list(chosen), list(unresolved)

    def makes(self, runner_set: RunnerSet, provider: str) -> bool:
        """Return whether the build is the one of the plan that has the provider, or lacks it for a reason."""
        if runner_set.library is not None or provider in self._plan.libraries:
            return provider == runner_set.library
        language = language_of_provider(provider)
        return language == runner_set.language or language not in self._languages

    def _resolve_algorithm(
        self, provider: str, listed: Sequence[OfferedImplementation], algorithm: str, matrix: Matrix, builds: int
    ) -> Iterator[ChosenImplementation | Unresolved]:
        masked = matrix.masking is not None
        if algorithm == NOOP:
            reason = "noop has no masked variant." if masked else ""
            if listed and all(row.declared for row in listed):
                reason = f"{provider} has no ciphers, and so no noop."
            given = provider, NOOP, NOOP_VARIANT
            yield Unresolved(*given, reason) if reason else ChosenImplementation(*given, ())
            return
        rows = [row for row in listed if (row.masking is not None) == masked]
        if not any(row.available for row in rows):
            reasons = "; ".join(dict.fromkeys(row.reason for row in rows if row.reason))
            missing = f"has no masked variant of {algorithm}" if masked and listed else f"does not list {algorithm}"
            yield Unresolved(provider, algorithm, None, reasons or f"{provider} {missing}.")
            return
        for pattern in dict.fromkeys(matrix.variants):
            chosen = rows_of_variant(pattern, rows, matrix.lengths)
            if not chosen and pattern == SMALLEST_VARIANT:
                name = f"{provider}'s {algorithm}"
                reason = (
                    f"No code size of {name} on this build is known: 'ciphermark runners sizes' there names the reason."
                )
                yield Unresolved(provider, algorithm, pattern, reason)
            elif not chosen and not is_pattern(pattern):
                yield Unresolved(provider, algorithm, pattern, f"{provider} has no variant {pattern} of {algorithm}.")
            for row in chosen:
                found = _checked(provider, row)
                if isinstance(found, ChosenImplementation) and matrix.masking is not None:
                    yield from self._forms(found, row, matrix.masking, builds)
                else:
                    yield found

    def _forms(
        self, implementation: ChosenImplementation, row: OfferedImplementation, masking: Masking, builds: int
    ) -> Iterator[ChosenImplementation | Unresolved]:
        if row.masking is None:
            return
        self._budget.spend(max_forms(masking) * FORM_STEPS * builds, "forms of masked variants")
        selected = select_forms(masking, implementation.variant, row.masking)
        for form in selected.forms:
            yield replace(implementation, form=form)
        names = (implementation.provider, implementation.algorithm, implementation.variant)
        for reason, count in selected.missing.items():
            yield Unresolved(*names, reason, count)

    def _check_variants(self, field: str, matrix: Matrix) -> None:
        """Check variants and forms of a matrix; a masked variant requires masking, and masking a masked variant."""
        names = [name for name in matrix.variants if name not in CHOSEN_VARIANTS]
        self._check("variant", f"{field}.variants", names, self._variants.every)
        masked, unmasked = self._variants.masked, self._variants.unmasked
        if matrix.masking is None:
            for pattern in names:
                if not unmasked.matching(pattern):
                    raise PlanRefused(
                        f"{pattern!r} selects masked variants, and this matrix has no masking.",
                        remedy="Add the forms, such as masking: {shares: [2, 3], degrees: [full]}, or name unmasked "
                        "variants.",
                        field=f"{field}.variants",
                        seen=pattern,
                    )
            return
        if not masked.names:
            raise PlanRefused(
                "No agent of this plan has masked variants.",
                remedy="Name an agent whose runners list them, or remove masking.",
                field=f"{field}.masking",
            )
        for pattern in names:
            if not masked.matching(pattern):
                remedy = f"{suggestion(pattern, masked.names)} Or remove masking."
                raise PlanRefused(
                    f"No masked variant matches {pattern!r}.", remedy=remedy, field=f"{field}.variants", seen=pattern
                )
        generators = [name for name in matrix.masking.generators if name != ALL]
        self._check("generator", f"{field}.masking.generators", generators, self._variants.generators)

    def _check(self, noun: str, field: str, patterns: Sequence[str], known: "_Names") -> None:
        for pattern in dict.fromkeys(patterns):
            if not known.matching(pattern):
                language = language_of_provider(pattern) if noun == "provider" else None
                if language is not None:
                    raise PlanRefused(
                        f"The plan has no toolchain of {language.label}, which {pattern!r} needs.",
                        remedy=f"Add one of its tools, such as toolchains: [{{compiler: {language.tools[0].name}}}].",
                        field=field,
                        seen=pattern,
                    )
                detail = f"No agent of this plan has a {noun} that matches {pattern!r}."
                if not is_pattern(pattern):
                    detail = f"Unknown {noun} {pattern!r}: no agent of this plan lists it."
                raise PlanRefused(detail, remedy=suggestion(pattern, known.names), field=field, seen=pattern)


def _of_other_toolchains(provider: str, language: Language | None, runner_set: RunnerSet) -> str | None:
    """Return why a build lacks a provider that only toolchains of another kind make."""
    if language == runner_set.language:
        return None
    tools = "native compilers" if language is None else " or ".join(tool.name for tool in language.tools)
    return f"{provider} is made by {tools}; the plan's toolchains have none."


class _Names:
    """Known names, and those that each pattern of the plan matches."""

    def __init__(self, names: set[str], budget: Budget) -> None:
        self.names = names
        self._budget = budget
        self._matching: dict[str, list[str]] = {}

    def matching(self, pattern: str) -> list[str]:
        if not is_pattern(pattern):
            return [pattern] if pattern in self.names else []
        if pattern not in self._matching:
            self._budget.spend(PATTERN_STEPS + len(self.names), "patterns")
            self._matching[pattern] = matching(pattern, self.names)
        return self._matching[pattern]


@dataclass(frozen=True)
class _Variants:
    """Names of all variants, of the unmasked and the masked ones among them, and of generators."""

    every: _Names
    unmasked: _Names
    masked: _Names
    generators: _Names

    @classmethod
    def of(cls, listed: Sequence[OfferedImplementation], budget: Budget) -> "_Variants":
        names: tuple[set[str], set[str]] = set(), set()
        offered = dict.fromkeys(row.masking.generators for row in listed if row.masking is not None)
        for row in listed:
            if row.variant is not None:
                names[row.masking is not None].add(row.variant)
        generators = {one.name for found in offered for one in found}
        unmasked, masked = names
        return cls(*(_Names(found, budget) for found in (unmasked | masked, unmasked, masked, generators)))


def _expanded(patterns: Sequence[str], known: _Names) -> list[str]:
    found: dict[str, None] = {}
    for pattern in dict.fromkeys(patterns):
        found.update(dict.fromkeys([NOOP] if pattern == NOOP else known.matching(pattern)))
    return list(found)


def rows_of_variant(
    pattern: str, listed: Sequence[OfferedImplementation], lengths: Sequence[int]
) -> list[OfferedImplementation]:
    """Return the implementations of one algorithm that a pattern of variants selects for these lengths."""
    if pattern == DEFAULT_VARIANT:
        return default_rows([row for row in listed if row.available], lengths)
    if pattern == SMALLEST_VARIANT:
        sized = [row for row in listed if row.available and row.code_bytes is not None]
        return sorted(sized, key=lambda row: (row.code_bytes, row.variant))[:1]
    names = matching(pattern, (row.variant for row in listed if row.variant is not None))
    return [row for name in names for row in listed if row.variant == name]


def default_rows(available: Sequence[OfferedImplementation], lengths: Sequence[int]) -> list[OfferedImplementation]:
    """Return the default variant of each length, each once: a series over lengths has the same variants everywhere."""
    fastest = {length: row for row in available for length in row.fastest_at}
    if not fastest:
        return [next((row for row in available if row.default), available[0])]
    shortest = min(fastest)
    chosen = {fastest[max((one for one in fastest if one <= length), default=shortest)] for length in lengths}
    return [row for row in available if row in chosen]


def _checked(provider: str, row: OfferedImplementation) -> ChosenImplementation | Unresolved:
    """Return the implementation if the processor can execute it and its known-answer tests passed."""
    variant = row.variant or ""
    if not row.available:
        return Unresolved(provider, row.algorithm, variant, row.reason or "It is not available on this machine.")
    if row.proved is None:
        return Unresolved(provider, row.algorithm, variant, "Its known-answer tests have not run on this build yet.")
    if not row.proved:
        reason = f"Its known-answer tests failed: {row.proof_detail}".rstrip(": ")
        return Unresolved(provider, row.algorithm, variant, reason)
    whole_block_bytes = row.block_bytes if row.whole_blocks_only else None
    return ChosenImplementation(provider, row.algorithm, variant, row.operations, row.sequence, whole_block_bytes)
