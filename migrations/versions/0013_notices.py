"""Notices of daemons: what the user must know about a machine.

Revision: 0013
Before: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("agents") as table:
        table.add_column(sa.Column("notice", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("agents") as table:
        table.alter_column("notice", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("agents") as table:
        table.drop_column("notice")
