"""A footprint has the stack of the operations that its implementation has, not those of a cipher.

Revision: 0037
Before: 0036
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

_COLUMNS = {name: f"{name.replace('-', '_')}_stack_bytes" for name in ("key-setup", "encrypt", "decrypt")}
_footprints = sa.table("footprints", *map(sa.column, ("id", *_COLUMNS.values())), sa.column("stack_bytes", sa.JSON()))


def upgrade() -> None:
    op.add_column("footprints", sa.Column("stack_bytes", sa.JSON(), nullable=True))
    columns = [_footprints.c[column] for column in _COLUMNS.values()]
    for number, *sizes in op.get_bind().execute(sa.select(_footprints.c.id, *columns)).all():
        stack = {name: size for name, size in zip(_COLUMNS, sizes, strict=True) if size is not None}
        if stack:
            _store(number, stack_bytes=stack)
    for column in _COLUMNS.values():
        op.execute(f"ALTER TABLE footprints DROP COLUMN {column}")


def downgrade() -> None:
    for column in _COLUMNS.values():
        op.add_column("footprints", sa.Column(column, sa.BigInteger(), nullable=True))
    for number, stack in op.get_bind().execute(sa.select(_footprints.c.id, _footprints.c.stack_bytes)).all():
        if stack:
            _store(number, **{column: stack.get(name) for name, column in _COLUMNS.items()})
    op.execute("ALTER TABLE footprints DROP COLUMN stack_bytes")


def _store(number: int, **values: Any) -> None:
    op.get_bind().execute(_footprints.update().where(_footprints.c.id == number).values(**values))
