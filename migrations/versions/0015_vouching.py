"""Vouching for results: digests of the service's own computation, and false reports of agents.

Digests that rested on the providers of one agent are judged again.

Revision: 0015
Before: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "service_digests",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("algorithm", sa.String(length=64), nullable=False),
        sa.Column("input_sha256", sa.String(length=64), nullable=False),
        sa.Column("ciphertext_sha256", sa.String(length=64), nullable=True),
        sa.Column("computed_by", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("runners_key", sa.String(length=64), nullable=True),
        sa.Column("computed_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_service_digests")),
        sa.UniqueConstraint("algorithm", "input_sha256", name=op.f("uq_service_digests_algorithm_input_sha256")),
    )
    op.create_index("ix_service_digests_runners_key", "service_digests", ["runners_key"])
    op.create_table(
        "false_reports",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("proven", sa.Boolean(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("times", sa.BigInteger(), nullable=False),
        sa.Column("first_at", sa.DateTime(), nullable=False),
        sa.Column("last_at", sa.DateTime(), nullable=False),
        sa.Column("lifted_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_false_reports_agent_id_agents")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_false_reports")),
        sa.UniqueConstraint("agent_id", "kind", name=op.f("uq_false_reports_agent_id_kind")),
    )
    with op.batch_alter_table("agents") as table:
        table.add_column(sa.Column("distrusted_at", sa.DateTime(), nullable=True))
    with op.batch_alter_table("expected_digests") as table:
        table.add_column(sa.Column("vouched_by", sa.Text(), nullable=False, server_default="service"))
    # Nothing vouches for an agreement of providers, which one agent can report alone: the scheduler judges it again.
    op.execute("UPDATE expected_digests SET vouched_by = '' WHERE basis = 'agreement'")
    op.execute("UPDATE expected_digests SET basis = CASE basis WHEN 'agreement' THEN 'agents' ELSE 'service' END")
    with op.batch_alter_table("expected_digests") as table:
        table.alter_column("vouched_by", server_default=None)


def downgrade() -> None:
    op.execute("UPDATE expected_digests SET basis = CASE basis WHEN 'service' THEN 'third-party' ELSE 'agreement' END")
    with op.batch_alter_table("expected_digests") as table:
        table.drop_column("vouched_by")
    with op.batch_alter_table("agents") as table:
        table.drop_column("distrusted_at")
    op.drop_table("false_reports")
    op.drop_index("ix_service_digests_runners_key", "service_digests")
    op.drop_table("service_digests")
