"""Tokens of earlier versions form families by their rotations; a label gives an owner only where it is unique."""

from pathlib import Path

import pytest
from sqlalchemy import select

from orchestrator.database.models import APIToken, Run
from tests.support.earlier_database import AT, earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more

FIRST, SECOND, OTHER, TWIN, ROLE = "a" * 12, "b" * 12, "c" * 12, "d" * 12, "e" * 12


def token(token_id: str, label: str, replaces_id: str | None = None) -> tuple[str, dict[str, object]]:
    row = {"id": token_id, "sha256": token_id[0] * 64, "role": "submitter", "label": label, "created_at": AT}
    return "api_tokens", row | {"replaces_id": replaces_id}


def run(run_id: str, submitted_by: str) -> tuple[str, dict[str, object]]:
    row = {"id": run_id, "name": "x", "plan": {}, "seed": 1, "state": "finished", "executions_total": 0}
    return "runs", row | {"submitted_by": submitted_by, "submitted_at": AT}


def test_rotations_are_one_family_and_labels_give_owners_only_where_they_are_unique(tmp_path: Path) -> None:
    url = earlier_database(tmp_path, "0028", [
        token(FIRST, "laptop"), token(SECOND, "laptop", FIRST), token(OTHER, "ci"), token(TWIN, "ci"),
        # Tokens without a label made their runs under the name of their role.
        token(ROLE, "submitter"), run("v" * 12, "submitter"),
        run("r" * 12, "laptop"), run("s" * 12, "ci"), run("t" * 12, "dashboard"), run("u" * 12, ""),
    ])  # fmt: skip
    with migrated(url) as database, database.read() as session:
        families = {one.id: one.family_id for one in session.scalars(select(APIToken))}
        owners = session.scalars(select(Run.owner_id).order_by(Run.id)).all()
    assert families == {FIRST: FIRST, SECOND: FIRST, OTHER: OTHER, TWIN: TWIN, ROLE: ROLE}
    assert owners == [FIRST, None, None, None, None]
