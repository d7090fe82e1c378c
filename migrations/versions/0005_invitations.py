"""Invitations: the name and the labels that a join token gives to an agent.

Revision: 0005
Before: 0004
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_DOCUMENT = sa.JSON(none_as_null=True)


def upgrade() -> None:
    with op.batch_alter_table("agents") as table:
        table.add_column(sa.Column("labels", _DOCUMENT, nullable=False, server_default="[]"))
    with op.batch_alter_table("agents") as table:
        table.alter_column("labels", server_default=None)
    with op.batch_alter_table("api_tokens") as table:
        table.add_column(sa.Column("agent_name", sa.String(length=63), nullable=True))
        table.add_column(sa.Column("agent_labels", _DOCUMENT, nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("api_tokens") as table:
        table.drop_column("agent_labels")
        table.drop_column("agent_name")
    with op.batch_alter_table("agents") as table:
        table.drop_column("labels")
