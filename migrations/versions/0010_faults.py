"""Faults: crashes without progress, repeated executions, and notices of daemons.

Revision: 0010
Before: 0009
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("jobs") as table:
        table.add_column(sa.Column("fruitless_attempts", sa.BigInteger(), nullable=False, server_default="0"))
        table.add_column(sa.Column("records_before", sa.BigInteger(), nullable=False, server_default="0"))
    # Every crash counted before.
    op.execute("UPDATE jobs SET fruitless_attempts = attempts - 1 WHERE state = 'running' AND attempts > 1")
    with op.batch_alter_table("jobs") as table:
        table.alter_column("fruitless_attempts", server_default=None)
        table.alter_column("records_before", server_default=None)
    with op.batch_alter_table("executions") as table:
        table.add_column(sa.Column("earlier_attempts", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("executions") as table:
        table.drop_column("earlier_attempts")
    with op.batch_alter_table("jobs") as table:
        table.drop_column("records_before")
        table.drop_column("fruitless_attempts")
