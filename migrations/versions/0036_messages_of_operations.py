"""A case names the operations that process its message; calls without a message are known to watches.

Revision: 0036
Before: 0035
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_KEY_SETUP = "key-setup"  # the only operation without a message so far
_cases = sa.table("cases", sa.column("operation"), sa.column("message_operations"))


def upgrade() -> None:
    op.add_column("cases", sa.Column("message_operations", sa.String(64), nullable=False, server_default=""))
    named = sa.case((_cases.c.operation == "noop", "encrypt+decrypt"), else_=_cases.c.operation)
    without = sa.func.replace(sa.func.replace(named, f"{_KEY_SETUP}+", ""), _KEY_SETUP, "")
    op.execute(_cases.update().values(message_operations=without))
    with op.batch_alter_table("cases") as table:
        table.alter_column("message_operations", existing_type=sa.String(64), server_default=None)
    _change_facts(lambda facts: {**facts, "has_message": facts.get("operation") != _KEY_SETUP})


def downgrade() -> None:
    _change_facts(lambda facts: {name: value for name, value in facts.items() if name != "has_message"})
    op.execute("ALTER TABLE cases DROP COLUMN message_operations")


def _change_facts(changed: Any) -> None:
    watched = sa.table("watch_cases", sa.column("id"), sa.column("facts", sa.JSON()))
    connection = op.get_bind()
    for number, facts in connection.execute(sa.select(watched.c.id, watched.c.facts)).all():
        connection.execute(watched.update().where(watched.c.id == number).values(facts=changed(facts)))
