"""Claims of jobs, each with its moment on a clock that no change of the wall clock moves.

Revision: 0018
Before: 0017
"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "claims",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("session_id", sa.String(length=32), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=False),
        sa.Column("granted_at", sa.DateTime(), nullable=False),
        sa.Column("boot_id", sa.String(length=36), nullable=False),
        sa.Column("granted_boot_ns", sa.BigInteger(), nullable=False),
        sa.Column("reported_ns", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_claims_job_id_jobs")),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_claims_agent_id_agents")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_claims")),
    )
    op.create_index("ix_claims_job_id", "claims", ["job_id"])


def downgrade() -> None:
    op.drop_index("ix_claims_job_id", "claims")
    op.drop_table("claims")
