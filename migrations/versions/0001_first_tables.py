"""The first tables.

Revision: 0001
Before: none
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "agents",
        sa.Column("id", sa.String(length=12), nullable=False),
        sa.Column("name", sa.String(length=63), nullable=False),
        sa.Column("enrolled_at", sa.DateTime(), nullable=False),
        sa.Column("approved_at", sa.DateTime(), nullable=True),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.Column("broker_password_hash", sa.String(length=64), nullable=False),
        sa.Column("session_id", sa.String(length=32), nullable=True),
        sa.Column("heard_at", sa.DateTime(), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("doing", sa.String(length=200), nullable=False),
        sa.Column("held_jobs", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("idle_since", sa.DateTime(), nullable=True),
        sa.Column("spool_records", sa.BigInteger(), nullable=False),
        sa.Column("inventory_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.ForeignKeyConstraint(
            ["inventory_id"], ["inventories.id"], name=op.f("fk_agents_inventory_id_inventories"), use_alter=True
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agents")),
        sa.UniqueConstraint("name", name=op.f("uq_agents_name")),
    )
    op.create_table(
        "chunks",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("length_bytes", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("origin", sa.String(length=16), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("facts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("registered_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chunks")),
        sa.UniqueConstraint("kind", "sha256", name=op.f("uq_chunks_kind_sha256")),
    )
    with op.batch_alter_table("chunks", schema=None) as batch_op:
        batch_op.create_index("ix_chunks_find", ["kind", "length_bytes"], unique=False)
        batch_op.create_index(batch_op.f("ix_chunks_sha256"), ["sha256"], unique=False)

    op.create_table(
        "digest_questions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("algorithm", sa.String(length=64), nullable=False),
        sa.Column("chunk_sha256", sa.String(length=64), nullable=False),
        sa.Column("asked", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_digest_questions")),
        sa.UniqueConstraint("algorithm", "chunk_sha256", name=op.f("uq_digest_questions_algorithm_chunk_sha256")),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("run_id", sa.String(length=12), nullable=True),
        sa.Column("agent_id", sa.String(length=12), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("data", sa.JSON(none_as_null=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
    )
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_events_run_id"), ["run_id"], unique=False)

    op.create_table(
        "expected_digests",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("algorithm", sa.String(length=64), nullable=False),
        sa.Column("chunk_sha256", sa.String(length=64), nullable=False),
        sa.Column("ciphertext_sha256", sa.String(length=64), nullable=False),
        sa.Column("basis", sa.String(length=16), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("learnt_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_expected_digests")),
        sa.UniqueConstraint("algorithm", "chunk_sha256", name=op.f("uq_expected_digests_algorithm_chunk_sha256")),
    )
    op.create_table(
        "runs",
        sa.Column("id", sa.String(length=12), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("plan", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("priority", sa.BigInteger(), nullable=False),
        sa.Column("executions_total", sa.BigInteger(), nullable=False),
        sa.Column("estimated_seconds", sa.Double(), nullable=True),
        sa.Column("submitted_at", sa.DateTime(), nullable=False),
        sa.Column("submitted_by", sa.String(length=80), nullable=False),
        sa.Column("layout_token", sa.String(length=32), nullable=True),
        sa.Column("layout_touched_at", sa.DateTime(), nullable=True),
        sa.Column("laid_out_at", sa.DateTime(), nullable=True),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_runs_state"), ["state"], unique=False)
        batch_op.create_index(batch_op.f("ix_runs_submitted_at"), ["submitted_at"], unique=False)

    op.create_table(
        "ticks",
        sa.Column("program", sa.String(length=16), nullable=False),
        sa.Column("ticked_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("program", name=op.f("pk_ticks")),
    )
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.String(length=12), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("label", sa.String(length=80), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=True),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.Column("used_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_api_tokens_agent_id_agents")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("sha256", name=op.f("uq_api_tokens_sha256")),
    )
    op.create_table(
        "builds",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("build_key", sa.String(length=64), nullable=False),
        sa.Column("source_sha256", sa.String(length=64), nullable=True),
        sa.Column("toolchain", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("compiler_version", sa.Text(), nullable=False),
        sa.Column("prebuilt", sa.Boolean(), nullable=False),
        sa.Column("build_wall_ns", sa.BigInteger(), nullable=True),
        sa.Column("runners", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("left_out", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("reported_at", sa.DateTime(), nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_builds_agent_id_agents")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_builds")),
        sa.UniqueConstraint("agent_id", "build_key", name=op.f("uq_builds_agent_id_build_key")),
    )
    with op.batch_alter_table("builds", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_builds_agent_id"), ["agent_id"], unique=False)

    op.create_table(
        "idempotency_keys",
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("body_sha256", sa.String(length=64), nullable=False),
        sa.Column("run_id", sa.String(length=12), nullable=False),
        sa.Column("used_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_idempotency_keys_run_id_runs")),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_idempotency_keys")),
    )
    op.create_table(
        "inventories",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("architecture", sa.String(length=16), nullable=False),
        sa.Column("emulated", sa.Boolean(), nullable=False),
        sa.Column("facts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("detected_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_inventories_agent_id_agents")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inventories")),
        sa.UniqueConstraint("agent_id", "sha256", name=op.f("uq_inventories_agent_id_sha256")),
    )
    with op.batch_alter_table("inventories", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_inventories_agent_id"), ["agent_id"], unique=False)

    op.create_table(
        "jobs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.String(length=12), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("executions_total", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("session_id", sa.String(length=32), nullable=True),
        sa.Column("sent_at", sa.DateTime(), nullable=True),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("finished_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_jobs_agent_id_agents")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_jobs_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("run_id", "agent_id", "number", name=op.f("uq_jobs_run_id_agent_id_number")),
    )
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.create_index("ix_jobs_dispatch", ["agent_id", "state"], unique=False)
        batch_op.create_index(batch_op.f("ix_jobs_run_id"), ["run_id"], unique=False)

    op.create_table(
        "omissions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.String(length=12), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=True),
        sa.Column("provider", sa.String(length=32), nullable=True),
        sa.Column("algorithm", sa.String(length=64), nullable=True),
        sa.Column("variant", sa.String(length=32), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("executions", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_omissions_agent_id_agents")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_omissions_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_omissions")),
    )
    with op.batch_alter_table("omissions", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_omissions_run_id"), ["run_id"], unique=False)

    op.create_table(
        "sensor_readings",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("sensor", sa.String(length=64), nullable=False),
        sa.Column("read_at", sa.DateTime(), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_sensor_readings_agent_id_agents")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sensor_readings")),
    )
    with op.batch_alter_table("sensor_readings", schema=None) as batch_op:
        batch_op.create_index("ix_sensor_readings_line", ["agent_id", "sensor", "read_at"], unique=False)

    op.create_table(
        "calibrations",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("build_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("unit", sa.String(length=32), nullable=False),
        sa.Column("detail", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("calibrated_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_calibrations_agent_id_agents")),
        sa.ForeignKeyConstraint(["build_id"], ["builds.id"], name=op.f("fk_calibrations_build_id_builds")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calibrations")),
    )
    with op.batch_alter_table("calibrations", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_calibrations_agent_id"), ["agent_id"], unique=False)

    op.create_table(
        "cases",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.String(length=12), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("build_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("protocol", sa.String(length=16), nullable=False),
        sa.Column("operation", sa.String(length=16), nullable=False),
        sa.Column("provider", sa.String(length=32), nullable=False),
        sa.Column("algorithm", sa.String(length=64), nullable=False),
        sa.Column("variant", sa.String(length=32), nullable=False),
        sa.Column("chunk_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("chunk_sha256", sa.String(length=64), nullable=True),
        sa.Column("input_kind", sa.String(length=16), nullable=True),
        sa.Column("message_bytes", sa.BigInteger(), nullable=False),
        sa.Column("associated_data_bytes", sa.BigInteger(), nullable=False),
        sa.Column("shares", sa.BigInteger(), nullable=False),
        sa.Column("masking", sa.String(length=16), nullable=True),
        sa.Column("generator", sa.String(length=16), nullable=True),
        sa.Column("key_setup", sa.String(length=16), nullable=True),
        sa.Column("language_version", sa.String(length=32), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_cases_agent_id_agents")),
        sa.ForeignKeyConstraint(["build_id"], ["builds.id"], name=op.f("fk_cases_build_id_builds")),
        sa.ForeignKeyConstraint(["chunk_id"], ["chunks.id"], name=op.f("fk_cases_chunk_id_chunks")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_cases_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cases")),
        sa.UniqueConstraint("run_id", "number", name=op.f("uq_cases_run_id_number")),
    )
    with op.batch_alter_table("cases", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_cases_agent_id"), ["agent_id"], unique=False)
        batch_op.create_index("ix_cases_digest", ["algorithm", "chunk_sha256"], unique=False)

    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("agent_id", sa.String(length=12), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("tries", sa.BigInteger(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name=op.f("fk_outbox_agent_id_agents")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_outbox_job_id_jobs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
    )
    op.create_table(
        "proofs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("build_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("provider", sa.String(length=32), nullable=False),
        sa.Column("algorithm", sa.String(length=64), nullable=False),
        sa.Column("variant", sa.String(length=32), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("output_sha256", sa.String(length=64), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("proved_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["build_id"], ["builds.id"], name=op.f("fk_proofs_build_id_builds")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proofs")),
        sa.UniqueConstraint(
            "build_id", "provider", "algorithm", "variant", name=op.f("uq_proofs_build_id_provider_algorithm_variant")
        ),
    )
    with op.batch_alter_table("proofs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_proofs_build_id"), ["build_id"], unique=False)

    op.create_table(
        "web_sessions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("code_sha256", sa.String(length=64), nullable=True),
        sa.Column("cookie_sha256", sa.String(length=64), nullable=True),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("token_id", sa.String(length=12), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["api_tokens.id"], name=op.f("fk_web_sessions_token_id_api_tokens")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_web_sessions")),
        sa.UniqueConstraint("code_sha256", name=op.f("uq_web_sessions_code_sha256")),
        sa.UniqueConstraint("cookie_sha256", name=op.f("uq_web_sessions_cookie_sha256")),
    )
    op.create_table(
        "case_summaries",
        sa.Column("case_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("ok", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("wrong", sa.BigInteger(), nullable=False),
        sa.Column("disputed", sa.BigInteger(), nullable=False),
        sa.Column("skipped", sa.BigInteger(), nullable=False),
        sa.Column("disturbed", sa.BigInteger(), nullable=False),
        sa.Column("median_encrypt_bytes_per_second", sa.Double(), nullable=True),
        sa.Column("low_encrypt_bytes_per_second", sa.Double(), nullable=True),
        sa.Column("high_encrypt_bytes_per_second", sa.Double(), nullable=True),
        sa.Column("median_decrypt_bytes_per_second", sa.Double(), nullable=True),
        sa.Column("median_pass_bytes_per_second", sa.Double(), nullable=True),
        sa.Column("low_pass_bytes_per_second", sa.Double(), nullable=True),
        sa.Column("high_pass_bytes_per_second", sa.Double(), nullable=True),
        sa.Column("median_work_wall_ns", sa.Double(), nullable=True),
        sa.Column("median_work_cpu_ns", sa.Double(), nullable=True),
        sa.Column("median_peak_rss_bytes", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_case_summaries_case_id_cases")),
        sa.PrimaryKeyConstraint("case_id", name=op.f("pk_case_summaries")),
    )
    op.create_table(
        "executions",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("run_id", sa.String(length=12), nullable=False),
        sa.Column("case_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("repetition", sa.BigInteger(), nullable=False),
        sa.Column("purpose", sa.String(length=8), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("attempt", sa.BigInteger(), nullable=True),
        sa.Column("session_id", sa.String(length=32), nullable=True),
        sa.Column("inventory_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("stored_at", sa.DateTime(), nullable=True),
        sa.Column("work_wall_ns", sa.BigInteger(), nullable=True),
        sa.Column("process_wall_ns", sa.BigInteger(), nullable=True),
        sa.Column("key_setup_wall_ns", sa.BigInteger(), nullable=True),
        sa.Column("encrypt_wall_ns", sa.BigInteger(), nullable=True),
        sa.Column("decrypt_wall_ns", sa.BigInteger(), nullable=True),
        sa.Column("work_cpu_ns", sa.BigInteger(), nullable=True),
        sa.Column("peak_rss_bytes", sa.BigInteger(), nullable=True),
        sa.Column("ciphertext_sha256", sa.String(length=64), nullable=True),
        sa.Column("disturbed", sa.Boolean(), nullable=False),
        sa.Column("readings", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("failure", sa.JSON(none_as_null=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('waiting','ok','failed','wrong','disputed','skipped')", name=op.f("ck_executions_state_is_known")
        ),
        sa.ForeignKeyConstraint(["case_id"], ["cases.id"], name=op.f("fk_executions_case_id_cases")),
        sa.ForeignKeyConstraint(
            ["inventory_id"], ["inventories.id"], name=op.f("fk_executions_inventory_id_inventories")
        ),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_executions_job_id_jobs")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_executions_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_executions")),
        sa.UniqueConstraint("case_id", "repetition", "purpose", name=op.f("uq_executions_case_id_repetition_purpose")),
    )
    with op.batch_alter_table("executions", schema=None) as batch_op:
        batch_op.create_index("ix_executions_job_state", ["job_id", "state"], unique=False)
        batch_op.create_index("ix_executions_run_state", ["run_id", "state"], unique=False)

    op.create_table(
        "curves",
        sa.Column(
            "execution_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("samples", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.String(length=8), nullable=False),
        sa.Column("columns", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["execution_id"], ["executions.id"], name=op.f("fk_curves_execution_id_executions")),
        sa.PrimaryKeyConstraint("execution_id", name=op.f("pk_curves")),
    )
    op.create_table(
        "timings",
        sa.Column(
            "execution_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False
        ),
        sa.Column("timings", sa.BigInteger(), nullable=False),
        sa.Column("columns", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["execution_id"], ["executions.id"], name=op.f("fk_timings_execution_id_executions")),
        sa.PrimaryKeyConstraint("execution_id", name=op.f("pk_timings")),
    )
    # Agents and inventories refer to each other, so the second reference comes when both exist. SQLite, which cannot
    # add one later, has it in its table already.
    if op.get_bind().dialect.name != "sqlite":
        op.create_foreign_key(
            op.f("fk_agents_inventory_id_inventories"), "agents", "inventories", ["inventory_id"], ["id"]
        )


def downgrade() -> None:
    if op.get_bind().dialect.name != "sqlite":
        op.drop_constraint(op.f("fk_agents_inventory_id_inventories"), "agents", type_="foreignkey")
    op.drop_table("timings")
    op.drop_table("curves")
    with op.batch_alter_table("executions", schema=None) as batch_op:
        batch_op.drop_index("ix_executions_run_state")
        batch_op.drop_index("ix_executions_job_state")

    op.drop_table("executions")
    op.drop_table("case_summaries")
    op.drop_table("web_sessions")
    with op.batch_alter_table("proofs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_proofs_build_id"))

    op.drop_table("proofs")
    op.drop_table("outbox")
    with op.batch_alter_table("cases", schema=None) as batch_op:
        batch_op.drop_index("ix_cases_digest")
        batch_op.drop_index(batch_op.f("ix_cases_agent_id"))

    op.drop_table("cases")
    with op.batch_alter_table("calibrations", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_calibrations_agent_id"))

    op.drop_table("calibrations")
    with op.batch_alter_table("sensor_readings", schema=None) as batch_op:
        batch_op.drop_index("ix_sensor_readings_line")

    op.drop_table("sensor_readings")
    with op.batch_alter_table("omissions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_omissions_run_id"))

    op.drop_table("omissions")
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_jobs_run_id"))
        batch_op.drop_index("ix_jobs_dispatch")

    op.drop_table("jobs")
    with op.batch_alter_table("inventories", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_inventories_agent_id"))

    op.drop_table("inventories")
    op.drop_table("idempotency_keys")
    with op.batch_alter_table("builds", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_builds_agent_id"))

    op.drop_table("builds")
    op.drop_table("api_tokens")
    op.drop_table("ticks")
    with op.batch_alter_table("runs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_runs_submitted_at"))
        batch_op.drop_index(batch_op.f("ix_runs_state"))

    op.drop_table("runs")
    op.drop_table("expected_digests")
    with op.batch_alter_table("events", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_events_run_id"))

    op.drop_table("events")
    op.drop_table("digest_questions")
    with op.batch_alter_table("chunks", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_chunks_sha256"))
        batch_op.drop_index("ix_chunks_find")

    op.drop_table("chunks")
    op.drop_table("agents")
