"""Generations of the database: a new one begins when a backup is restored, so that agents deliver again.

Revision: 0017
Before: 0016
"""

import secrets
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    table = op.create_table(
        "generations",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("epoch", sa.String(length=32), nullable=False),
        sa.Column("began_at", sa.DateTime(), nullable=False),
        sa.Column("backup_made_at", sa.DateTime(), nullable=True),
        sa.Column("first_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_generations")),
    )
    began_at = datetime.now(UTC).replace(tzinfo=None)
    op.bulk_insert(table, [{"epoch": secrets.token_hex(16), "began_at": began_at, "first_id": 1}])


def downgrade() -> None:
    op.drop_table("generations")
