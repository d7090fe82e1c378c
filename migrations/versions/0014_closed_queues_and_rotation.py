"""The reason that an agent was cut off from Redis, and the token that another one replaces.

Revision: 0014
Before: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("agents") as table:
        table.add_column(sa.Column("queue_closed_reason", sa.Text(), nullable=True))
    with op.batch_alter_table("api_tokens") as table:
        table.add_column(sa.Column("replaces_id", sa.String(length=12), nullable=True))
        table.create_foreign_key("fk_api_tokens_replaces_id_api_tokens", "api_tokens", ["replaces_id"], ["id"])


def downgrade() -> None:
    with op.batch_alter_table("api_tokens") as table:
        table.drop_constraint("fk_api_tokens_replaces_id_api_tokens", type_="foreignkey")
        table.drop_column("replaces_id")
    with op.batch_alter_table("agents") as table:
        table.drop_column("queue_closed_reason")
