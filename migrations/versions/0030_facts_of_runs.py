"""Facts of each agent at its first job of a run.

Revision: 0030
Before: 0029
"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_COLUMNS = ("started_at", "inventory_id", "health", "health_reason", "last_calibration_id")


def upgrade() -> None:
    with op.batch_alter_table("run_agents") as table:
        table.add_column(sa.Column("started_at", sa.DateTime(), nullable=True))
        table.add_column(sa.Column("inventory_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True))
        table.add_column(sa.Column("health", sa.String(length=12), nullable=True))
        table.add_column(sa.Column("health_reason", sa.Text(), nullable=True))
        table.add_column(sa.Column("last_calibration_id", sa.BigInteger(), nullable=True))
        table.create_foreign_key("fk_run_agents_inventory_id_inventories", "inventories", ["inventory_id"], ["id"])
    _fill()


def _fill() -> None:
    """Store what is known of the time of the first job: the records name their inventory, the others have a time.

    A calibration that came later only counts where the agent had none before: the run has shown it since.
    """
    of_run = sa.table("run_agents", *map(sa.column, ("run_id", "agent_id", *_COLUMNS)))
    names = {
        "jobs": ("id", "run_id", "agent_id", "started_at"),
        "executions": ("job_id", "inventory_id"),
        "agents": ("id", "inventory_id"),
        "calibrations": ("id", "agent_id", "calibrated_at"),
        "health_checks": ("id", "agent_id", "checked_at", "state", "reason"),
    }
    jobs, executions, agents, calibrations, checks = (
        sa.table(name, *map(sa.column, columns)).c for name, columns in names.items()
    )
    connection = op.get_bind()

    def first(column: sa.ColumnElement, *conditions: sa.ColumnElement, order: sa.ColumnElement) -> object:
        return connection.scalar(sa.select(column).where(*conditions).order_by(order).limit(1))

    for run_id, agent_id in connection.execute(sa.select(of_run.c.run_id, of_run.c.agent_id)).all():
        own = (jobs.run_id == run_id, jobs.agent_id == agent_id, jobs.started_at.is_not(None))
        started = connection.execute(sa.select(jobs.id, jobs.started_at).where(*own).order_by(jobs.started_at)).first()
        if started is None:
            continue
        at = started.started_at
        recorded = (executions.job_id == started.id, executions.inventory_id.is_not(None))
        inventory_id = first(executions.inventory_id, *recorded, order=executions.inventory_id) or first(
            agents.inventory_id, agents.id == agent_id, order=agents.id
        )
        before = first(
            calibrations.id, calibrations.agent_id == agent_id, calibrations.calibrated_at <= at,
            order=calibrations.id.desc(),
        )  # fmt: skip
        later = first(calibrations.id, calibrations.agent_id == agent_id, order=calibrations.id.desc())
        check = connection.execute(
            sa.select(checks.state, checks.reason)
            .where(checks.agent_id == agent_id, checks.checked_at <= at)
            .order_by(checks.id.desc())
            .limit(1)
        ).first()
        connection.execute(
            sa.update(of_run)
            .where(of_run.c.run_id == run_id, of_run.c.agent_id == agent_id)
            .values(
                started_at=at,
                inventory_id=inventory_id,
                health=check.state if check else "unchecked",
                health_reason=check.reason if check else "",
                last_calibration_id=before or later or 0,
            )
        )


def downgrade() -> None:
    with op.batch_alter_table("run_agents") as table:
        table.drop_constraint("fk_run_agents_inventory_id_inventories", type_="foreignkey")
        for column in reversed(_COLUMNS):
            table.drop_column(column)
