"""Agents of runs: resolved at the submission, each with its own part of the layout.

Revision: 0009
Before: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

# Runs that are not laid out get their agents at the layout, as before.
_LAID_OUT = """
    INSERT INTO run_agents (run_id, agent_id, executions_total, estimated_seconds, laid_out_at)
    SELECT cases.run_id, cases.agent_id,
           COALESCE((SELECT SUM(jobs.executions_total) FROM jobs
                     WHERE jobs.run_id = cases.run_id AND jobs.agent_id = cases.agent_id), 0),
           NULL, runs.laid_out_at
    FROM cases JOIN runs ON runs.id = cases.run_id
    WHERE runs.laid_out_at IS NOT NULL
    GROUP BY cases.run_id, cases.agent_id, runs.laid_out_at
"""


def upgrade() -> None:
    op.create_table(
        "run_agents",
        sa.Column("run_id", sa.String(length=12), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("executions_total", sa.BigInteger(), nullable=False),
        sa.Column("estimated_seconds", sa.Double(), nullable=True),
        sa.Column("laid_out_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_agents_run_id_runs")),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_run_agents_agent_id_agents")),
        sa.PrimaryKeyConstraint("run_id", "agent_id", name=op.f("pk_run_agents")),
    )
    op.create_index(op.f("ix_run_agents_agent_id"), "run_agents", ["agent_id"])
    op.execute(_LAID_OUT)
    with op.batch_alter_table("runs") as table:
        # Earlier runs started on all agents together.
        table.add_column(sa.Column("start", sa.String(length=16), nullable=False, server_default="together"))
    with op.batch_alter_table("runs") as table:
        table.alter_column("start", server_default=None)


def downgrade() -> None:
    with op.batch_alter_table("runs") as table:
        table.drop_column("start")
    op.drop_index(op.f("ix_run_agents_agent_id"), "run_agents")
    op.drop_table("run_agents")
