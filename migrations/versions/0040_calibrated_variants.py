"""Proofs have how fast a variant is next to the others, and the lengths of messages for which it is the default.

Revision: 0040
Before: 0039
"""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("proofs", sa.Column("relative_times", sa.JSON(), nullable=True))
    op.add_column("proofs", sa.Column("fastest_at", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.execute("ALTER TABLE proofs DROP COLUMN fastest_at")
    op.execute("ALTER TABLE proofs DROP COLUMN relative_times")
