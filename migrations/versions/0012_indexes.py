"""Indexes of queries that scanned or sorted whole tables.

Revision: 0012
Before: 0011
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_INDEXES = (
    ("ix_executions_inventory_id", "executions", ["inventory_id"]),
    ("ix_awaited_builds_request_id", "awaited_builds", ["request_id"]),
    ("ix_outbox_job_id", "outbox", ["job_id"]),
    ("ix_calibrations_latest", "calibrations", ["build_id", "kind", "id"]),
    ("ix_sensor_readings_oldest", "sensor_readings", ["agent_id", "read_at"]),
    ("ix_jobs_next", "jobs", ["run_id", "agent_id", "state", "number"]),
    ("ix_jobs_run_state", "jobs", ["run_id", "state"]),
    ("ix_runs_next", "runs", ["state", "priority", "submitted_at", "id"]),
)
# Each is a prefix of an index above.
_REPLACED = (("ix_jobs_run_id", "jobs", ["run_id"]), ("ix_runs_state", "runs", ["state"]))


def upgrade() -> None:
    for name, table, columns in _INDEXES:
        op.create_index(name, table, columns)
    for name, table, _ in _REPLACED:
        op.drop_index(name, table)


def downgrade() -> None:
    for name, table, columns in _REPLACED:
        op.create_index(name, table, columns)
    for name, table, _ in _INDEXES:
        op.drop_index(name, table)
