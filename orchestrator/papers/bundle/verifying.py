"""Verification of a bundle: its bytes, its version, its signature, and its verdicts computed again from its rows."""

import json
import tempfile
from pathlib import Path
from typing import Any

from alembic import command
from pydantic import BaseModel, ValidationError

from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date, config_for
from orchestrator.database.revision import expected_revision
from orchestrator.errors import BundleDamaged, InvalidRequest
from orchestrator.papers import service
from orchestrator.papers.bundle import archive, repository
from orchestrator.papers.bundle.description import DESCRIPTION, FORMAT, VERDICTS, Description
from orchestrator.papers.bundle.signing import Signature, verify_signature
from orchestrator.papers.schemas import PaperVerdicts
from orchestrator.results.answers.readings import ReadingsCache


class Verification(BaseModel):
    """Contents of a verified bundle."""

    description: Description
    signature: Signature | None
    """None for a bundle without a signature."""
    verdicts: PaperVerdicts
    """Computed again from the rows."""
    differences: list[str]
    """Verdicts that differ from those in the bundle: agent, claim, both verdicts."""


def verify_bundle(path: Path, signers: Path | None = None) -> Verification:
    """Verify a bundle and compute its verdicts again.

    signers: file of allowed signers of ssh-keygen; without it, a signature shows only that nothing changed since.
    Raises BundleDamaged for a changed file, and InvalidRequest for a newer version.
    """
    with tempfile.TemporaryDirectory(prefix="ciphermark-bundle-") as name:
        folder = Path(name) / "bundle"
        folder.mkdir()
        archive.unpack(path, folder)
        description = _description(folder)
        signature = verify_signature(folder, signers)
        found = _computed_again(folder, Path(name) / "rows.sqlite", description)
        return Verification(
            description=description,
            signature=signature,
            verdicts=found,
            differences=_differences(_stored(folder), found.model_dump(mode="json")),
        )


def _description(folder: Path) -> Description:
    try:
        document = json.loads((folder / DESCRIPTION).read_bytes())
        made_by, revision = str(document["ciphermark"]), str(document["revision"])
        if int(document["format"]) > FORMAT or revision > expected_revision():
            raise InvalidRequest(
                f"The bundle was made by Ciphermark {made_by}, whose schema {revision} is newer than that of this "
                f"installation ({expected_revision()}).",
                remedy=f"Install Ciphermark {made_by} or later.",
            )
        return Description.model_validate(document)
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
        raise BundleDamaged(f"{DESCRIPTION} cannot be read: {error}.") from error


def _computed_again(folder: Path, file: Path, description: Description) -> PaperVerdicts:
    url = f"sqlite:///{file}"
    command.upgrade(config_for(url), description.revision)
    repository.read_tables(folder / "tables", file)
    bring_up_to_date(url)
    rows = Database(url)
    try:
        return service.get_verdicts(rows, ReadingsCache(rows), description.paper, description.run_id)
    finally:
        rows.close()


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
