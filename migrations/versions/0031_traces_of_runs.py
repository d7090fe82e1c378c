"""Traces of runs: what they measure, their resumptions, and a row of each deleted one.

Revision: 0031
Before: 0030
"""

import hashlib
import json

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

_NOT_MEASURED = ("name", "description", "seed", "repetitions", "priority", "start")
_DELETED = "deleted_at IS NOT NULL"


def upgrade() -> None:
    op.add_column("runs", sa.Column("measurement_sha256", sa.String(length=64), server_default="", nullable=False))
    op.add_column("runs", sa.Column("erased_at", sa.DateTime(), nullable=True))
    op.add_column("runs", sa.Column("executions_ended", sa.BigInteger(), nullable=True))
    op.add_column("runs", sa.Column("resumptions", sa.BigInteger(), server_default="0", nullable=False))
    runs = sa.table("runs", sa.column("id"), sa.column("plan", sa.JSON), sa.column("measurement_sha256"))
    connection = op.get_bind()
    for run_id, plan in connection.execute(sa.select(runs.c.id, runs.c.plan)).all():
        measured = {name: value for name, value in plan.items() if name not in _NOT_MEASURED}
        digest = hashlib.sha256(json.dumps(measured, sort_keys=True).encode()).hexdigest()
        connection.execute(sa.update(runs).where(runs.c.id == run_id).values(measurement_sha256=digest))
    with op.batch_alter_table("runs") as table:
        table.alter_column("measurement_sha256", existing_type=sa.String(length=64), server_default=None)
        table.alter_column("resumptions", existing_type=sa.BigInteger(), server_default=None)
    op.create_index("ix_runs_measurement_sha256", "runs", ["measurement_sha256"])
    _index_deleted(f"{_DELETED} AND erased_at IS NULL")


def _index_deleted(condition: str) -> None:
    op.drop_index("ix_runs_deleted", "runs")
    where = sa.text(condition)
    op.create_index("ix_runs_deleted", "runs", ["deleted_at"], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    op.execute("DELETE FROM runs WHERE erased_at IS NOT NULL")
    _index_deleted(_DELETED)
    op.drop_index("ix_runs_measurement_sha256", "runs")
    with op.batch_alter_table("runs") as table:
        for column in ("measurement_sha256", "erased_at", "executions_ended", "resumptions"):
            table.drop_column(column)
