"""Imports of SUPERCOP and bencher are gone, and with them the input lengths, which no other format has.

Revision: 0034
Before: 0033
"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "DELETE FROM imported_series WHERE import_id IN "
        "(SELECT id FROM imports WHERE format IN ('bencher', 'supercop'))"
    )
    op.execute("DELETE FROM imports WHERE format IN ('bencher', 'supercop')")
    with op.batch_alter_table("imported_series") as batch:
        batch.drop_column("length_bytes")


def downgrade() -> None:
    op.add_column("imported_series", sa.Column("length_bytes", sa.BigInteger()))
