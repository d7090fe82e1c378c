"""Searches for effects of secrets in the implementations of builds.

Revision: 0028
Before: 0027
"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

_TABLE = "constant_time_checks"


def _number() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        _TABLE,
        sa.Column("id", _number(), nullable=False),
        sa.Column("build_id", _number(), nullable=False),
        sa.Column("provider", sa.String(length=32), nullable=False),
        sa.Column("algorithm", sa.String(length=64), nullable=False),
        sa.Column("variant", sa.String(length=32), nullable=False),
        sa.Column("errors", sa.BigInteger(), nullable=True),
        sa.Column("max_message_bytes", sa.BigInteger(), nullable=True),
        sa.Column("hidden_features", sa.JSON(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("t", sa.Double(), nullable=True),
        sa.Column("timed_calls", sa.BigInteger(), nullable=True),
        sa.Column("timing_reason", sa.Text(), nullable=False),
        sa.Column("checked_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["build_id"], ["builds.id"], name=op.f("fk_constant_time_checks_build_id_builds")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_constant_time_checks")),
        sa.UniqueConstraint(
            "build_id", "provider", "algorithm", "variant",
            name=op.f("uq_constant_time_checks_build_id_provider_algorithm_variant"),
        ),
    )  # fmt: skip
    op.create_index("ix_constant_time_checks_build_id", _TABLE, ["build_id"])


def downgrade() -> None:
    op.drop_table(_TABLE)
