"""Keys of plans, with the names that agents, corpus and languages offer as their values. Pure."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from orchestrator.runs.planning.offers import AgentOffer, ChunkIndex, expected_runners_of
from orchestrator.runs.schemas import PlanKeySummary
from orchestrator.shared.units import KIB, format_size
from orchestrator.wire.base import NOOP
from orchestrator.wire.languages.all_languages import LANGUAGES
from orchestrator.wire.plans import ALL, CHOSEN_VARIANTS, Plan

MAX_VALUES = 2000
"""Maximum of values of one key."""


def plan_keys(agents: Sequence[AgentOffer], chunks: ChunkIndex) -> list[PlanKeySummary]:
    """Return every key of a plan, outer keys before inner ones, with the values that exist now."""
    offered = _offered(agents, chunks)
    keys = [
        PlanKeySummary(
            path=path, required=required, values=list(dict.fromkeys((*fixed, *offered.get(path, ()))))[:MAX_VALUES]
        )
        for path, required, fixed in _keys_of_schema()
    ]
    return keys + [
        PlanKeySummary(path=f"libraries.{provider}", required=False, values=versions)
        for provider, versions in _library_versions(agents).items()
    ]


def _library_versions(agents: Sequence[AgentOffer]) -> dict[str, list[str]]:
    """Return the versions of each library that an agent which is not revoked has."""
    usable = [agent.library_versions for agent in agents if not agent.revoked]
    return {
        provider: _sorted(version for one in usable for version in one.get(provider, ()))
        for provider in _sorted(provider for one in usable for provider in one)
    }


def _offered(agents: Sequence[AgentOffer], chunks: ChunkIndex) -> Mapping[str, Collection[str]]:
    """Return the names that exist, by the path of their key, each in alphabetical order."""
    usable = [agent for agent in agents if not agent.revoked]
    runners = [agent.build.runners for agent in usable if agent.build]
    runners += [expected_runners_of(language) for language in LANGUAGES]
    listed = [one for offer in runners for rows in offer.values() for one in rows if one.available]
    listed += [one for agent in usable for one in agent.masked if one.available]
    facts = [agent.facts for agent in usable if agent.facts]
    masked = [one.masking for one in listed if one.masking]
    return {
        "agents": _sorted(agent.name for agent in usable),
        "architectures": _sorted(agent.architecture for agent in usable if agent.architecture),
        "requires.labels": _sorted(label for agent in usable for label in agent.labels),
        "requires.features": _sorted(feature for one in facts for feature in one.features),
        "matrix.providers": _sorted(provider for offer in runners for provider, rows in offer.items() if rows),
        "matrix.algorithms": [*_sorted(one.algorithm for one in listed if one.algorithm != NOOP), NOOP],
        "matrix.variants": [*CHOSEN_VARIANTS, ALL, *_sorted(one.variant for one in listed if one.variant)],
        "matrix.masking.generators": [
            *_sorted(generator.name for one in masked for generator in one.generators if generator.reason is None),
            ALL,
        ],
        "matrix.inputs.sizes": [_length(length) for length in sorted({length for _, length in chunks})],
    }


def _length(length_bytes: int) -> str:
    return format_size(length_bytes) if length_bytes % KIB == 0 else str(length_bytes)


def _sorted(names: Iterable[str]) -> list[str]:
    return sorted(set(names))


@cache
def _keys_of_schema() -> tuple[tuple[str, bool, tuple[str, ...]], ...]:
    """Return path, necessity and fixed values of each key, from the JSON schema of plans."""
    schema = Plan.model_json_schema()
    return tuple(_walk(schema, schema["$defs"], ""))


def _walk(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], prefix: str
) -> Iterator[tuple[str, bool, tuple[str, ...]]]:
    for name, found in schema.get("properties", {}).items():
        path = f"{prefix}{name}"
        forms = list(_forms(found, definitions))
        yield path, name in schema.get("required", ()), tuple(value for form in forms for value in _fixed(form))
        for form in forms:
            yield from _walk(form, definitions, f"{path}.")


def _forms(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the alternatives of a value, and those of the items of a list, with references resolved."""
    if "$ref" in schema:
        yield from _forms(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    elif "anyOf" in schema:
        for form in schema["anyOf"]:
            yield from _forms(form, definitions)
    elif "items" in schema:
        yield from _forms(schema["items"], definitions)
    else:
        yield schema


def _fixed(schema: Mapping[str, Any]) -> Iterator[str]:
    if schema.get("type") == "boolean":
        yield from ("true", "false")
    yield from (str(value) for value in schema.get("enum", ()))
    if "const" in schema:
        yield str(schema["const"])
