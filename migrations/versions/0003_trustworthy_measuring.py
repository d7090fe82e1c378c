"""Health of agents, preflight reports, precision, copies, and the dispersion, memory and energy of case statistics.

Revision: 0003
Before: 0002
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# Table → columns for which the rows that are there need a value; new rows always come with one.
_WITH_VALUE = {
    "agents": (
        ("health", sa.String(length=12), "unchecked"),
        ("health_reason", sa.Text(), ""),
        ("check_asked", sa.Boolean(), sa.false()),
    ),
    "runs": (("rounds_open", sa.Boolean(), sa.false()),),
    "cases": (("copy", sa.BigInteger(), "1"),),
    "case_summaries": (("warm_ups", sa.BigInteger(), "0"), ("outliers", sa.BigInteger(), "0")),
    "sensor_readings": (("unit", sa.String(length=16), ""),),
}
_NULLABLE = {
    "agents": (("health_checked_at", sa.DateTime()),),
    "cases": (("stopped", sa.String(length=12)),),
    "case_summaries": (
        ("mad_work_wall_ns", sa.Double()),
        ("mad_call_wall_ns", sa.Double()),
        ("relative_interval", sa.Double()),
        ("median_cycles_per_instruction", sa.Double()),
        ("median_energy_per_execution_joules", sa.Double()),
        ("median_energy_per_byte_joules", sa.Double()),
    ),
}


def upgrade() -> None:
    for name, columns in _WITH_VALUE.items():
        with op.batch_alter_table(name) as table:
            for column, kind, default in columns:
                table.add_column(sa.Column(column, kind, nullable=False, server_default=default))
        with op.batch_alter_table(name) as table:
            for column, _, _ in columns:
                table.alter_column(column, server_default=None)
    for name, nullable in _NULLABLE.items():
        with op.batch_alter_table(name) as table:
            for column, kind in nullable:
                table.add_column(sa.Column(column, kind, nullable=True))
    op.create_table(
        "health_checks",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("build_id", _BIG, nullable=False),
        sa.Column("checked_at", sa.DateTime(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("control_wall_ns", sa.Double(), nullable=False),
        sa.Column("drift", sa.Double(), nullable=True),
        sa.Column("noise_floor", sa.Double(), nullable=True),
        sa.Column("facts", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_health_checks_agent_id_agents")),
        sa.ForeignKeyConstraint(["build_id"], ["builds.id"], name=op.f("fk_health_checks_build_id_builds")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_health_checks")),
    )
    op.create_index("ix_health_checks_line", "health_checks", ["agent_id", "checked_at"])
    op.create_table(
        "hygiene_reports",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("run_id", sa.String(length=12), nullable=True),
        sa.Column("checked_at", sa.DateTime(), nullable=False),
        sa.Column("facts", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_hygiene_reports_agent_id_agents")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_hygiene_reports_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hygiene_reports")),
    )
    op.create_index("ix_hygiene_reports_agent_id", "hygiene_reports", ["agent_id"])
    op.create_index("ix_hygiene_reports_run_id", "hygiene_reports", ["run_id"])


def downgrade() -> None:
    op.drop_table("hygiene_reports")
    op.drop_table("health_checks")
    for name, nullable in _NULLABLE.items():
        with op.batch_alter_table(name) as table:
            for column, _ in nullable:
                table.drop_column(column)
    for name, columns in _WITH_VALUE.items():
        with op.batch_alter_table(name) as table:
            for column, _, _ in columns:
                table.drop_column(column)
