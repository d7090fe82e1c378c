"""Audit log.

Revision: 0032
Before: 0031
"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("action", sa.String(length=80), nullable=False),
        sa.Column("object_id", sa.String(length=120)),
        sa.Column("outcome", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("role", sa.String(length=16)),
        sa.Column("label", sa.String(length=80), nullable=False),
        sa.Column("family_id", sa.String(length=12)),
        sa.Column("agent_id", sa.String(length=12)),
        sa.Column("address", sa.String(length=64)),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entries"),
    )
    op.create_index("ix_audit_entries_outcome", "audit_entries", ["outcome"])


def downgrade() -> None:
    op.drop_table("audit_entries")
