"""Verification of a bundle: its verdicts are computed again from its rows."""

import json
from pathlib import Path
from typing import Any

from orchestrator.papers import service
from orchestrator.papers.bundle.description import FORMAT, UNREADABLE, VERDICTS, BundleDescription
from orchestrator.papers.bundle.opening import OpenedBundle
from orchestrator.papers.bundle.signing import Signature
from orchestrator.papers.schemas import PaperVerdicts
from orchestrator.results.admission.service import broken_times
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.shared.errors import BundleDamaged
from orchestrator.shared.values.models import LazyModel

Verdicts = dict[tuple[str, str], dict[str, Any]]
"""Agent and claim → what was decided."""

_DECIDED = (
    *("verdict", "estimate", "interval", "low", "high", "blocks", "missing_total"),
    *("parts", "parts_inside", "parts_outside", "choices", "choices_reproduced"),
)
"""Fields of a ClaimVerdict that follow from the readings; the others are sentences, whose words may change."""


class BundleVerification(LazyModel):
    """Contents of a verified bundle."""

    description: BundleDescription
    signature: Signature | None
    """None for a bundle without a signature."""
    verdicts: PaperVerdicts
    """Computed again from the rows."""
    differences: list[str]
    """Verdicts and their figures that differ from those in the bundle: agent, claim, both verdicts. None of a bundle of
    an older format, whose verdicts follow former rules."""
    agreement: str
    """Whether the verdicts in the bundle are the same, differ, or were not compared and why."""
    impossible: list[str]
    """Executions with a time that no machine reaches, which the service would have refused: case, repetition, bound."""
    proof: str
    """What the signature proves, and what it does not."""


def verified(bundle: OpenedBundle) -> BundleVerification:
    """Return the verdicts of an open bundle, computed again, and those that differ from the stored ones."""
    found = verdicts_of(bundle)
    differences = _differences(bundle, _claims(found.model_dump(mode="json")))
    return BundleVerification(
        description=bundle.description,
        signature=bundle.signature,
        verdicts=found,
        differences=differences,
        agreement=_agreement(bundle.description.format, differences),
        impossible=_impossible(bundle),
        proof=_proof(bundle.signature),
    )


def _impossible(bundle: OpenedBundle) -> list[str]:
    try:
        return broken_times(bundle.rows)
    except UNREADABLE as error:
        raise BundleDamaged(f"The times of the bundle cannot be read: {error}.") from error


def _proof(signature: Signature | None) -> str:
    if signature is None:
        return "Unsigned: this proves nothing about who measured, or whether anything was measured."
    if not signature.signer:
        return (
            f"Signed with {signature.key}, whose owner was not checked (--signers): this proves nothing about who "
            "measured, or whether anything was measured."
        )
    return f"Signed by {signature.signer}: the readings are the word of this signer."


def verdicts_of(bundle: OpenedBundle) -> PaperVerdicts:
    """Return the verdicts on the claims of the bundle's paper, from its rows."""
    description = bundle.description
    try:
        return service.get_verdicts(bundle.rows, ReadingsCache(), description.paper, description.run_id)
    except UNREADABLE as error:
        raise BundleDamaged(f"The rows of the bundle give no verdicts: {error}.") from error


def _stored(folder: Path) -> Verdicts:
    """Return the verdicts in the bundle; raises BundleDamaged."""
    try:
        document: dict[str, Any] = json.loads((folder / VERDICTS).read_bytes())
        return _claims(document)
    except UNREADABLE as error:
        raise BundleDamaged(f"{VERDICTS} cannot be read: {error}.") from error


def _differences(bundle: OpenedBundle, after: Verdicts) -> list[str]:
    """Return a line for each claim whose stored and computed verdict or figures differ."""
    before = _stored(bundle.folder)
    if bundle.description.format != FORMAT:
        return []
    return [
        f"{agent}, {claim}: {_words(before.get(key))} in the bundle, {_words(after.get(key))} computed again"
        for key in dict.fromkeys((*before, *after))
        if before.get(key) != after.get(key)
        for agent, claim in (key,)
    ]


def _agreement(bundle_format: int, differences: list[str]) -> str:
    if bundle_format != FORMAT:
        return f"verdicts of format {bundle_format} were computed by other rules and are not compared"
    return f"{len(differences)} differ" if differences else "all equal"


def _claims(verdicts: dict[str, Any]) -> Verdicts:
    return {
        (agent["agent_name"], claim["claim"]): {name: claim.get(name) for name in _DECIDED}
        for agent in verdicts.get("agents", [])
        for claim in (*agent.get("claims", []), *agent.get("findings", []))
    }


def _words(claim: dict[str, Any] | None) -> str:
    if claim is None:
        return "absent"
    return f"{claim.get('verdict')} ({claim.get('estimate')})"
