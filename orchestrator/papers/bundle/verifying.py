"""Verification of a bundle: its verdicts are computed again from its rows."""

import json
from pathlib import Path
from typing import Any

from orchestrator.errors import BundleDamaged
from orchestrator.papers import service
from orchestrator.papers.bundle.description import VERDICTS, Description
from orchestrator.papers.bundle.opening import OpenedBundle, opened
from orchestrator.papers.bundle.signing import Signature
from orchestrator.papers.schemas import PaperVerdicts
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.values.models import LazyModel


class Verification(LazyModel):
    """Contents of a verified bundle."""

    description: Description
    signature: Signature | None
    """None for a bundle without a signature."""
    verdicts: PaperVerdicts
    """Computed again from the rows."""
    differences: list[str]
    """Verdicts that differ from those in the bundle: agent, claim, both verdicts."""


def verify_bundle(path: Path, signers: Path | None = None) -> Verification:
    """Verify a bundle and compute its verdicts again; raises as `opened` does."""
    with opened(path, signers) as bundle:
        return verified(bundle)


def verified(bundle: OpenedBundle) -> Verification:
    """Return the verdicts of an open bundle, computed again, and those that differ from the stored ones."""
    found = verdicts_of(bundle)
    return Verification(
        description=bundle.description,
        signature=bundle.signature,
        verdicts=found,
        differences=_differences(_stored(bundle.folder), found.model_dump(mode="json")),
    )


def verdicts_of(bundle: OpenedBundle) -> PaperVerdicts:
    """Return the verdicts on the claims of the bundle's paper, from its rows."""
    description = bundle.description
    return service.get_verdicts(bundle.rows, ReadingsCache(bundle.rows), description.paper, description.run_id)


def _stored(folder: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads((folder / VERDICTS).read_bytes())
    except (OSError, ValueError) as error:
        raise BundleDamaged(f"{VERDICTS} cannot be read: {error}.") from error
    return document


def _differences(stored: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return a line for each claim whose stored and computed verdict, estimate or interval differ."""
    before, after = _claims(stored), _claims(found)
    return [
        f"{agent}, {claim}: {_words(before.get(key))} in the bundle, {_words(after.get(key))} computed again"
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
        for agent, claim in (key,)
    ]


def _claims(verdicts: dict[str, Any]) -> dict[tuple[str, str], Any]:
    return {
        (agent["agent_name"], claim["claim"]): claim
        for agent in verdicts.get("agents", [])
        for claim in (*agent.get("claims", []), *agent.get("findings", []))
    }


def _words(claim: dict[str, Any] | None) -> str:
    if claim is None:
        return "absent"
    return f"{claim['verdict']} ({claim.get('estimate')})"
