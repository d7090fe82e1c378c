"""Statistics of cases: how many changes of executions they include, and since when they are stale.

Revision: 0011
Before: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_IS_STALE = sa.text("stale_since IS NOT NULL")


def upgrade() -> None:
    # Earlier versions wrote them together with the executions, so none of them is stale.
    op.add_column("case_statistics", sa.Column("changes", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("case_statistics", sa.Column("included", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("case_statistics", sa.Column("stale_since", sa.DateTime(), nullable=True))
    op.create_index(
        "ix_case_statistics_stale", "case_statistics", ["stale_since"],
        sqlite_where=_IS_STALE, postgresql_where=_IS_STALE,
    )  # fmt: skip


def downgrade() -> None:
    op.drop_index("ix_case_statistics_stale", "case_statistics")
    with op.batch_alter_table("case_statistics") as table:
        for name in ("stale_since", "included", "changes"):
            table.drop_column(name)
