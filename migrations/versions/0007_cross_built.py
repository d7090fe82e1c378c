"""Cross-built builds: the machine, the time and the parts that programs compiled elsewhere were made of.

Revision: 0007
Before: 0006
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("builds") as table:
        table.add_column(sa.Column("cross_built", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("builds") as table:
        table.drop_column("cross_built")
