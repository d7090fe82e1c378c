"""Latency cases, toolchains that are built on request, footprints; inputs are named, not only chunks.

Revision: 0002
Before: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_NEWEST_CURRENT = """
    UPDATE builds SET is_default = TRUE WHERE current AND id = (
        SELECT max(newest.id) FROM builds AS newest WHERE newest.agent_id = builds.agent_id AND newest.current)
"""


def upgrade() -> None:
    op.create_table(
        "build_requests",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("toolchain_key", sa.String(length=64), nullable=False),
        sa.Column("toolchain", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("build_id", _BIG, nullable=True),
        sa.Column("requested_at", sa.DateTime(), nullable=False),
        sa.Column("settled_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_build_requests_agent_id_agents")),
        sa.ForeignKeyConstraint(["build_id"], ["builds.id"], name=op.f("fk_build_requests_build_id_builds")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_build_requests")),
        sa.UniqueConstraint("agent_id", "toolchain_key", name=op.f("uq_build_requests_agent_id_toolchain_key")),
    )
    op.create_table(
        "footprints",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("build_id", _BIG, nullable=False),
        sa.Column("provider", sa.String(length=32), nullable=False),
        sa.Column("algorithm", sa.String(length=64), nullable=False),
        sa.Column("variant", sa.String(length=32), nullable=False),
        sa.Column("code_bytes", sa.BigInteger(), nullable=True),
        sa.Column("static_ram_bytes", sa.BigInteger(), nullable=True),
        sa.Column("context_bytes", sa.BigInteger(), nullable=True),
        sa.Column("key_setup_stack_bytes", sa.BigInteger(), nullable=True),
        sa.Column("encrypt_stack_bytes", sa.BigInteger(), nullable=True),
        sa.Column("decrypt_stack_bytes", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["build_id"], ["builds.id"], name=op.f("fk_footprints_build_id_builds")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_footprints")),
        sa.UniqueConstraint(
            "build_id",
            "provider",
            "algorithm",
            "variant",
            name=op.f("uq_footprints_build_id_provider_algorithm_variant"),
        ),
    )
    op.create_index("ix_footprints_build_id", "footprints", ["build_id"])

    op.create_table(
        "awaited_builds",
        sa.Column("run_id", sa.String(length=12), nullable=False),
        sa.Column("request_id", _BIG, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["request_id"], ["build_requests.id"], name=op.f("fk_awaited_builds_request_id_build_requests")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_awaited_builds_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", "request_id", name=op.f("pk_awaited_builds")),
    )
    with op.batch_alter_table("builds") as table:
        table.add_column(sa.Column("compile_commands", sa.JSON(none_as_null=True), nullable=False, server_default="{}"))
        table.add_column(sa.Column("failure", sa.Text(), nullable=True))
        table.add_column(sa.Column("is_default", sa.Boolean(), nullable=False, server_default=sa.false()))
    # Defaults for the rows that are there; new ones always come with values.
    with op.batch_alter_table("builds") as table:
        table.alter_column("compile_commands", server_default=None)
        table.alter_column("is_default", server_default=None)
    op.execute(_NEWEST_CURRENT)
    with op.batch_alter_table("case_summaries") as table:
        for name in _SUMMARY_COLUMNS:
            table.add_column(sa.Column(name, sa.Double(), nullable=True))
    with op.batch_alter_table("cases") as table:
        table.drop_index("ix_cases_digest")
        table.alter_column("chunk_sha256", new_column_name="input_sha256")
        table.add_column(sa.Column("fill", sa.String(length=8), nullable=True))
        table.add_column(sa.Column("key_fill", sa.String(length=8), nullable=True))
        table.add_column(sa.Column("timings", sa.BigInteger(), nullable=True))
        table.add_column(sa.Column("least_timing_ms", sa.Double(), nullable=True))
    op.create_index("ix_cases_digest", "cases", ["algorithm", "input_sha256"])
    _rename_digest_column("chunk_sha256", "input_sha256")
    with op.batch_alter_table("executions") as table:
        table.add_column(sa.Column("call_wall_ns", sa.Double(), nullable=True))
        table.add_column(sa.Column("call_cpu_ns", sa.Double(), nullable=True))
        table.alter_column("job_id", existing_type=_BIG, nullable=True)
        table.alter_column("position", existing_type=sa.BigInteger(), nullable=True)


def downgrade() -> None:
    # Fails, and changes nothing, where executions without a job are stored: 0001 has no place for them.
    with op.batch_alter_table("executions") as table:
        table.alter_column("position", existing_type=sa.BigInteger(), nullable=False)
        table.alter_column("job_id", existing_type=_BIG, nullable=False)
        table.drop_column("call_cpu_ns")
        table.drop_column("call_wall_ns")
    _rename_digest_column("input_sha256", "chunk_sha256")
    with op.batch_alter_table("cases") as table:
        table.drop_index("ix_cases_digest")
        table.alter_column("input_sha256", new_column_name="chunk_sha256")
        for name in ("least_timing_ms", "timings", "key_fill", "fill"):
            table.drop_column(name)
    op.create_index("ix_cases_digest", "cases", ["algorithm", "chunk_sha256"])
    with op.batch_alter_table("case_summaries") as table:
        for name in _SUMMARY_COLUMNS:
            table.drop_column(name)
    with op.batch_alter_table("builds") as table:
        for name in ("is_default", "failure", "compile_commands"):
            table.drop_column(name)
    op.drop_table("awaited_builds")
    op.drop_table("footprints")
    op.drop_table("build_requests")


_SUMMARY_COLUMNS = (
    "median_call_wall_ns",
    "low_call_wall_ns",
    "high_call_wall_ns",
    "median_call_cpu_ns",
    "median_cold_call_wall_ns",
)


def _rename_digest_column(before: str, after: str) -> None:
    # One step a batch: within one, a constraint would look for its column under the name it has no longer.
    for name in ("digest_questions", "expected_digests"):
        with op.batch_alter_table(name) as table:
            table.drop_constraint(f"uq_{name}_algorithm_{before}", type_="unique")
        with op.batch_alter_table(name) as table:
            table.alter_column(before, new_column_name=after)
        with op.batch_alter_table(name) as table:
            table.create_unique_constraint(f"uq_{name}_algorithm_{after}", ["algorithm", after])
