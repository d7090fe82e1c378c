"""Executions and statistics have the phases that their operation has, not those of a cipher; outputs have a digest.

Revision: 0035
Before: 0034
"""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

_PHASES = ("key_setup", "encrypt", "decrypt")
_FIGURES = ("median", "low", "high")
_OF_STATISTICS: dict[str, dict[str, str]] = {  # decryption never had an interval
    "key_setup": {},
    "encrypt": {one: f"{one}_encrypt_bytes_per_second" for one in _FIGURES},
    "decrypt": {"median": "median_decrypt_bytes_per_second"},
}
_RENAMED = ("executions", "expected_digests", "service_digests")
_BEFORE, _AFTER = "encrypt-decrypt", "key-setup+encrypt+decrypt"

_executions = sa.table("executions", *map(sa.column, ("phase_wall_ns", *(f"{phase}_wall_ns" for phase in _PHASES))))
_statistics = sa.table(
    "case_statistics",
    *map(sa.column, ("phases", *(column for columns in _OF_STATISTICS.values() for column in columns.values()))),
)
_cases = sa.table("cases", sa.column("operation"))


def upgrade() -> None:
    for table in _RENAMED:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN ciphertext_sha256 TO output_sha256")
    op.add_column("executions", sa.Column("phase_wall_ns", sa.JSON(), nullable=True))
    walls = {phase: _executions.c[f"{phase}_wall_ns"] for phase in _PHASES}
    some = sa.or_(*(column.is_not(None) for column in walls.values()))
    op.execute(_executions.update().where(some).values(phase_wall_ns=_without_nulls(_json(walls))))
    # Before the readings: SQLite would otherwise read all of them to reach the column. PostgreSQL keeps them elsewhere.
    order: Any = {"recreate": "always", "partial_reordering": [("process_wall_ns", "phase_wall_ns", "readings")]}
    with op.batch_alter_table("executions", **(order if _is_sqlite() else {})) as table:
        for phase in _PHASES:
            table.drop_column(f"{phase}_wall_ns")
    op.add_column("case_statistics", sa.Column("phases", sa.JSON(), nullable=True))
    phases = _json({phase: _json(_figures(columns)) for phase, columns in _OF_STATISTICS.items()})
    measured = _statistics.c.median_encrypt_bytes_per_second.is_not(None)
    op.execute(_statistics.update().where(measured).values(phases=phases))
    for columns in _OF_STATISTICS.values():
        for column in columns.values():
            op.execute(f"ALTER TABLE case_statistics DROP COLUMN {column}")
    with op.batch_alter_table("cases") as table:
        table.alter_column("operation", type_=sa.String(64), existing_type=sa.String(16), existing_nullable=False)
    op.execute(_cases.update().where(_cases.c.operation == _BEFORE).values(operation=_AFTER))


def downgrade() -> None:
    op.execute(_cases.update().where(_cases.c.operation == _AFTER).values(operation=_BEFORE))
    with op.batch_alter_table("cases") as table:
        table.alter_column("operation", type_=sa.String(16), existing_type=sa.String(64), existing_nullable=False)
    for phase, columns in _OF_STATISTICS.items():
        for figure, column in columns.items():
            op.add_column("case_statistics", sa.Column(column, sa.Double(), nullable=True))
            found = _member(_statistics.c.phases, phase, f"{figure}_bytes_per_second")
            op.execute(_statistics.update().values({column: sa.cast(found, sa.Double())}))
    op.execute("ALTER TABLE case_statistics DROP COLUMN phases")
    for phase in _PHASES:
        op.add_column("executions", sa.Column(f"{phase}_wall_ns", sa.BigInteger(), nullable=True))
        found = _member(_executions.c.phase_wall_ns, phase)
        op.execute(_executions.update().values({f"{phase}_wall_ns": sa.cast(found, sa.BigInteger())}))
    op.execute("ALTER TABLE executions DROP COLUMN phase_wall_ns")
    for table in _RENAMED:
        op.execute(f"ALTER TABLE {table} RENAME COLUMN output_sha256 TO ciphertext_sha256")


def _figures(columns: dict[str, str]) -> dict[str, Any]:
    given = {f"{one}_bytes_per_second": columns.get(one) for one in _FIGURES}
    found = {name: _statistics.c[column] if column else sa.null() for name, column in given.items()}
    return {"median_wall_ns": sa.null(), **found}


def _is_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"


def _json(members: dict[str, Any]) -> Any:
    parts = [part for name, value in members.items() for part in (sa.literal_column(f"'{name}'"), value)]
    return (sa.func.json_object if _is_sqlite() else sa.func.json_build_object)(*parts)


def _without_nulls(document: Any) -> Any:
    return (
        sa.func.json_patch(sa.literal_column("'{}'"), document) if _is_sqlite() else sa.func.json_strip_nulls(document)
    )


def _member(document: Any, *path: str) -> Any:
    if _is_sqlite():
        return sa.func.json_extract(document, sa.literal_column(f"'$.{'.'.join(path)}'"))
    return sa.func.json_extract_path_text(document, *(sa.literal_column(f"'{name}'") for name in path))
