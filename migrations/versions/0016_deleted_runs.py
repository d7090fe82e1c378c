"""Deleted runs: marked by a request, until the scheduler has deleted their rows.

Revision: 0016
Before: 0015
"""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_IS_DELETED = sa.text("deleted_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("runs", sa.Column("deleted_at", sa.DateTime(), nullable=True))
    op.create_index("ix_runs_deleted", "runs", ["deleted_at"], sqlite_where=_IS_DELETED, postgresql_where=_IS_DELETED)


def downgrade() -> None:
    op.drop_index("ix_runs_deleted", "runs")
    with op.batch_alter_table("runs") as table:
        table.drop_column("deleted_at")
