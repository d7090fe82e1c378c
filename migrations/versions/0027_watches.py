"""Watches of plans, their looks, runs, cases, changes and reports.

Revision: 0027
Before: 0026
"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

_TABLES = ("watch_deliveries", "watch_changes", "watch_cases", "watch_runs", "watch_looks", "watches")


def _number() -> sa.types.TypeEngine[int]:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "watches",
        sa.Column("id", sa.String(length=12), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("measure", sa.String(length=16), nullable=True),
        sa.Column("every_seconds", sa.BigInteger(), nullable=True),
        sa.Column("baseline_run_id", sa.String(length=12), nullable=True),
        sa.Column("baseline_tag", sa.String(length=32), nullable=True),
        sa.Column("outlets", sa.JSON(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("created_by", sa.String(length=80), nullable=False),
        sa.Column("due_at", sa.DateTime(), nullable=True),
        sa.Column("seen_build_id", sa.BigInteger(), nullable=False),
        sa.Column("looks", sa.BigInteger(), nullable=False),
        sa.Column("notice", sa.Text(), nullable=False),
        sa.Column("noticed_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watches")),
        sa.UniqueConstraint("name", name=op.f("uq_watches_name")),
    )
    op.create_table(
        "watch_looks",
        sa.Column("id", _number(), nullable=False),
        sa.Column("watch_id", sa.String(length=12), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("began_at", sa.DateTime(), nullable=False),
        sa.Column("decided_at", sa.DateTime(), nullable=True),
        sa.Column("measure", sa.String(length=16), nullable=True),
        sa.Column("cases", sa.BigInteger(), nullable=True),
        sa.Column("suspects", sa.JSON(), nullable=True),
        sa.Column("detectable", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_watch_looks_watch_id_watches")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watch_looks")),
        sa.UniqueConstraint("watch_id", "number", name=op.f("uq_watch_looks_watch_id_number")),
    )
    op.create_index("ix_watch_looks_state", "watch_looks", ["state"])
    op.create_table(
        "watch_runs",
        sa.Column("id", _number(), nullable=False),
        sa.Column("look_id", _number(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("run_id", sa.String(length=12), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("submitted_at", sa.DateTime(), nullable=False),
        sa.Column("values", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(["look_id"], ["watch_looks.id"], name=op.f("fk_watch_runs_look_id_watch_looks")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watch_runs")),
        sa.UniqueConstraint("look_id", "place", name=op.f("uq_watch_runs_look_id_place")),
    )
    op.create_index("ix_watch_runs_run_id", "watch_runs", ["run_id"])
    op.create_table(
        "watch_cases",
        sa.Column("id", _number(), nullable=False),
        sa.Column("watch_id", sa.String(length=12), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("facts", sa.JSON(), nullable=False),
        sa.Column("levels", sa.JSON(), nullable=False),
        sa.Column("lasting", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["watch_id"], ["watches.id"], name=op.f("fk_watch_cases_watch_id_watches")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watch_cases")),
        sa.UniqueConstraint("watch_id", "key", name=op.f("uq_watch_cases_watch_id_key")),
    )
    op.create_table(
        "watch_changes",
        sa.Column("id", _number(), nullable=False),
        sa.Column("look_id", _number(), nullable=False),
        sa.Column("case_id", _number(), nullable=False),
        sa.Column("ratio", sa.Double(), nullable=False),
        sa.Column("low", sa.Double(), nullable=False),
        sa.Column("high", sa.Double(), nullable=False),
        sa.Column("worse", sa.Boolean(), nullable=False),
        sa.Column("new_runs", sa.BigInteger(), nullable=False),
        sa.Column("former_runs", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["look_id"], ["watch_looks.id"], name=op.f("fk_watch_changes_look_id_watch_looks")),
        sa.ForeignKeyConstraint(["case_id"], ["watch_cases.id"], name=op.f("fk_watch_changes_case_id_watch_cases")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watch_changes")),
    )
    op.create_index("ix_watch_changes_look_id", "watch_changes", ["look_id"])
    op.create_table(
        "watch_deliveries",
        sa.Column("id", _number(), nullable=False),
        sa.Column("look_id", _number(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("tries", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.DateTime(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.Column("delivered_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(["look_id"], ["watch_looks.id"], name=op.f("fk_watch_deliveries_look_id_watch_looks")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_watch_deliveries")),
    )
    op.create_index("ix_watch_deliveries_look_id", "watch_deliveries", ["look_id"])
    op.create_index("ix_watch_deliveries_due", "watch_deliveries", ["state", "due_at"])


def downgrade() -> None:
    for table in _TABLES:
        op.drop_table(table)
