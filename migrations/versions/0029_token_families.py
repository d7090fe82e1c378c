"""Families of tokens, which own what their tokens made.

Revision: 0029
Before: 0028
"""

from collections import defaultdict

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_OWNED = (("runs", "submitted_by"), ("watches", "created_by"), ("imports", "imported_by"))
"""Tables of what tokens make, with the column of the token's label."""
_SHARED = ("", "dashboard", "viewer", "submitter", "admin")
"""Names under which sessions, and tokens without a label, made something: they name no token."""


def upgrade() -> None:
    op.add_column("api_tokens", sa.Column("family_id", sa.String(length=12), nullable=True))
    for table, _ in _OWNED:
        op.add_column(table, sa.Column("owner_id", sa.String(length=12), nullable=True))
    families = _fill_families()
    _fill_owners(families)
    with op.batch_alter_table("api_tokens") as table:
        table.alter_column("family_id", existing_type=sa.String(length=12), nullable=False)
    op.create_index("ix_api_tokens_family_id", "api_tokens", ["family_id"])


def _fill_families() -> dict[str, set[str]]:
    """Store the family of each token: that of the one that it replaces, or its own; return the families by label."""
    tokens = sa.table("api_tokens", *map(sa.column, ("id", "label", "replaces_id", "family_id")))
    connection = op.get_bind()
    rows = {row.id: row for row in connection.execute(sa.select(tokens.c.id, tokens.c.label, tokens.c.replaces_id))}
    families = defaultdict[str, set[str]](set)
    for token_id, row in rows.items():
        first, seen = row, {token_id}
        while first.replaces_id in rows and first.replaces_id not in seen:
            first = rows[first.replaces_id]
            seen.add(first.id)
        connection.execute(sa.update(tokens).where(tokens.c.id == token_id).values(family_id=first.id))
        families[row.label].add(first.id)
    return families


def _fill_owners(families: dict[str, set[str]]) -> None:
    """Store the owners where a label names one family only."""
    for label, found in families.items():
        if label not in _SHARED and len(found) == 1:
            for name, column in _OWNED:
                table = sa.table(name, sa.column(column), sa.column("owner_id"))
                op.execute(sa.update(table).where(table.c[column] == label).values(owner_id=next(iter(found))))


def downgrade() -> None:
    op.drop_index("ix_api_tokens_family_id", "api_tokens")
    with op.batch_alter_table("api_tokens") as table:
        table.drop_column("family_id")
    for name, _ in _OWNED:
        with op.batch_alter_table(name) as table:
            table.drop_column("owner_id")
