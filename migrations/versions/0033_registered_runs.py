"""Registered runs.

Revision: 0033
Before: 0032
"""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_COLUMNS = ("registered_repetitions", "first_look_executions")


def upgrade() -> None:
    for name in _COLUMNS:
        op.add_column("runs", sa.Column(name, sa.BigInteger()))


def downgrade() -> None:
    with op.batch_alter_table("runs") as batch:
        for name in _COLUMNS:
            batch.drop_column(name)
