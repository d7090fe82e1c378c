"""Forms of masked cases and challenges. Unmasked cases have no shares; before, they had one.

Revision: 0020
Before: 0019
"""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("cases") as table:
        table.alter_column("shares", existing_type=sa.BigInteger(), nullable=True)
    op.execute("UPDATE cases SET shares = NULL WHERE masking IS NULL")
    with op.batch_alter_table("challenges") as table:
        table.add_column(sa.Column("shares", sa.BigInteger(), nullable=True))
        table.add_column(sa.Column("masking", sa.String(length=16), nullable=True))
        table.add_column(sa.Column("generator", sa.String(length=16), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("challenges") as table:
        table.drop_column("generator")
        table.drop_column("masking")
        table.drop_column("shares")
    op.execute("UPDATE cases SET shares = 1 WHERE shares IS NULL")
    with op.batch_alter_table("cases") as table:
        table.alter_column("shares", existing_type=sa.BigInteger(), nullable=False)
