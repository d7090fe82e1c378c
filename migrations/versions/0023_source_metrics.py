"""Source code of the implementations of a build: lines, bytes, complexity.

Revision: 0023
Before: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("builds", sa.Column("sources", sa.JSON(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("builds") as table:
        table.drop_column("sources")
