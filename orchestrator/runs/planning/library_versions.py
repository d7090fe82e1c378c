"""Builds of a plan's library versions on an agent, and reasons for the versions that it lacks. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.shared.errors import PlanRefused
from orchestrator.shared.values.library_versions import is_selected
from orchestrator.wire.builds import BuildLibrary, Toolchain
from orchestrator.wire.languages.all_languages import language_of_provider, language_of_tool
from orchestrator.wire.plans import MAX_TOOLCHAINS, Plan

OWN = "own"


@dataclass(frozen=True)
class LibraryBuilds:
    """Toolchains with a library in a version that an agent has, and what the plan selects in vain."""

    toolchains: tuple[Toolchain, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()
    """Provider and reason of each pattern that selects no version."""


def library_builds(plan: Plan, agent_name: str, versions: Mapping[str, Sequence[str]]) -> LibraryBuilds:
    """Return a toolchain for each native one of the plan and each selected version of each library.

    versions: those that the agent can build runners of, by library. Raises PlanRefused if they are too many.
    """
    toolchains = [one for one in plan.all_toolchains() if language_of_tool(one.compiler) is None]
    if not plan.toolchains:
        toolchains = [Toolchain()]
    # Masked variants are those of own ciphers.
    toolchains = [one.model_copy(update={"masked": False}) for one in toolchains]
    chosen: list[Toolchain] = []
    missing: list[tuple[str, str]] = []
    for provider, patterns in plan.libraries.items():
        known = versions.get(provider, ())
        if not toolchains:
            missing.append((provider, f"{provider} is made by native compilers; the plan's toolchains have none."))
            continue
        selected = {one: None for pattern in patterns for one in known if is_selected(one, pattern)}
        libraries = [BuildLibrary(provider=provider, version=one) for one in selected]
        chosen += [one.model_copy(update={"library": library}) for library in libraries for one in toolchains]
        missing += ((provider, reason) for reason in _lacks(agent_name, provider, patterns, known))
    if len(chosen) > MAX_TOOLCHAINS:
        raise PlanRefused(
            f"The plan needs {len(chosen)} builds of library versions on {agent_name}; at most {MAX_TOOLCHAINS} are "
            "allowed.",
            remedy="Name fewer versions or toolchains.",
            field="libraries",
            seen=len(chosen),
            allowed=MAX_TOOLCHAINS,
        )
    return LibraryBuilds(tuple(chosen), tuple(missing))


def check_libraries(plan: Plan, providers: set[str], selected: set[str]) -> None:
    """Raise PlanRefused for a library that has no versions, that no agent has, or that no matrix selects.

    providers: all that agents list or lack with a reason. selected: those that the plan's matrices select.
    """
    for provider in plan.libraries:
        if provider == OWN or language_of_provider(provider) is not None:
            detail, remedy = f"{provider} has no versions: it is a part of Ciphermark.", "Name libraries only."
        elif provider not in providers:
            known = sorted(one for one in providers if one != OWN and language_of_provider(one) is None)
            detail = f"Unknown library {provider!r}: no agent of this plan lists it."
            remedy = f"Known: {', '.join(known)}." if known else "No agent has a library."
        elif provider not in selected:
            detail = f"The plan names versions of {provider}, which no matrix selects."
            remedy = f"Add {provider} to the providers of a matrix, or remove it from libraries."
        else:
            continue
        raise PlanRefused(detail, remedy=remedy, field=f"libraries.{provider}", seen=provider)


def _lacks(agent_name: str, provider: str, patterns: Sequence[str], known: Sequence[str]) -> Iterator[str]:
    for pattern in dict.fromkeys(patterns):
        if not any(is_selected(one, pattern) for one in known):
            has = f"it has {', '.join(known)}" if known else "it has none"
            yield (
                f"{agent_name} has no version {pattern} of {provider}; {has}. Its operator registers others: "
                f"ciphermark daemon libraries add {provider} --prefix FOLDER."
            )
