"""Notes of agents, tags of runs, archived runs.

Revision: 0022
Before: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("agents") as table:
        table.add_column(sa.Column("notes", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("agents") as table:
        table.alter_column("notes", server_default=None)
    op.add_column("runs", sa.Column("archived_at", sa.DateTime(), nullable=True))
    op.create_table(
        "run_tags",
        sa.Column("run_id", sa.String(length=12), nullable=False),
        sa.Column("tag", sa.String(length=32), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_tags_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", "tag", name=op.f("pk_run_tags")),
    )
    op.create_index("ix_run_tags_tag", "run_tags", ["tag", "run_id"])


def downgrade() -> None:
    op.drop_index("ix_run_tags_tag", "run_tags")
    op.drop_table("run_tags")
    with op.batch_alter_table("runs") as table:
        table.drop_column("archived_at")
    with op.batch_alter_table("agents") as table:
        table.drop_column("notes")
