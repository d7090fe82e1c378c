"""Plain names: columns, tables and keys of stored documents follow the glossary. No value changes.

Revision: 0004
Before: 0003
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

# Table → old column name → new one.
_COLUMNS = {
    "agents": {
        "heard_at": "last_heartbeat_at",
        "doing": "activity",
        "spool_records": "undelivered_records",
        "check_asked": "health_check_requested",
    },
    "builds": {"left_out": "missing_providers"},
    "cases": {"least_timing_ms": "min_timing_ms", "stopped": "stop_reason"},
    "runs": {"layout_token": "lease_token", "layout_touched_at": "lease_renewed_at"},
    "expected_digests": {"learnt_at": "established_at"},
    "digest_questions": {"asked": "requests"},
}
_TABLES = {
    "case_summaries": "case_statistics",
    "digest_questions": "pending_digests",
    "hygiene_reports": "preflight_reports",
}
_PLAN_KEYS = {
    "optimisation": "optimization",
    "least_timing_ms": "min_timing_ms",
    "maximum_repetitions": "max_repetitions",
    "maximum_temperature_celsius": "max_temperature_celsius",
    "maximum_others_share": "max_others_share",
}
_READINGS = {"least_call_cycles": "min_call_cycles"}
# Table, key column, JSON column → old key → new key, at any depth of the document.
_DOCUMENTS: dict[tuple[str, str, str], Mapping[str, str]] = {
    ("runs", "id", "plan"): _PLAN_KEYS,
    ("builds", "id", "toolchain"): _PLAN_KEYS,
    ("build_requests", "id", "toolchain"): _PLAN_KEYS,
    ("inventories", "id", "facts"): {"maximum_frequency_hz": "max_frequency_hz"},
    ("preflight_reports", "id", "facts"): {"findings": "results", "wanted": "expected"},
    ("executions", "id", "readings"): _READINGS,
}
# What a toolchain's key is the SHA-256 of: these names in this order, as compact JSON.
_TOOLCHAIN = ("compiler", "version", "optimization", "march", "mtune", "mcpu", "link")
_TOOLCHAIN_BEFORE = ("compiler", "version", "optimisation", "march", "mtune", "mcpu", "link")
_ROWS_AT_A_TIME = 1000


def upgrade() -> None:
    for table, columns in _COLUMNS.items():
        _rename_columns(table, columns)
    for before, after in _TABLES.items():
        _rename_table(before, after)
    for place, names in _DOCUMENTS.items():
        _rename_keys(*place, names)
    _rewrite_toolchain_keys(_TOOLCHAIN)


def downgrade() -> None:
    for place, names in _DOCUMENTS.items():
        _rename_keys(*place, {after: before for before, after in names.items()})
    _rewrite_toolchain_keys(_TOOLCHAIN_BEFORE)
    for before, after in _TABLES.items():
        _rename_table(after, before)
    for table, columns in _COLUMNS.items():
        _rename_columns(table, {after: before for before, after in columns.items()})


def _rename_columns(table: str, columns: Mapping[str, str]) -> None:
    for before, after in columns.items():
        op.execute(f'ALTER TABLE {table} RENAME COLUMN "{before}" TO "{after}"')


def _rename_table(before: str, after: str) -> None:
    """Rename a table with the indexes and constraints that carry its name."""
    inspector = sa.inspect(op.get_bind())
    indexes = [index for index in inspector.get_indexes(before) if (index["name"] or "").startswith(f"ix_{before}_")]
    foreign_keys = inspector.get_foreign_keys(before)
    unique = inspector.get_unique_constraints(before)
    op.rename_table(before, after)
    for index in indexes:
        name = str(index["name"])
        columns = [str(column) for column in index["column_names"]]
        op.drop_index(name, table_name=after)
        op.create_index(name.replace(before, after), after, columns)
    named = [str(constraint["name"]) for constraint in (*foreign_keys, *unique)]
    if op.get_bind().dialect.name == "postgresql":
        named.append(str(inspector.get_pk_constraint(before)["name"]))
        for name in named:
            op.execute(f'ALTER TABLE {after} RENAME CONSTRAINT "{name}" TO "{name.replace(before, after)}"')
        return
    with op.batch_alter_table(after) as table:
        for key in foreign_keys:
            table.drop_constraint(str(key["name"]), type_="foreignkey")
            table.create_foreign_key(
                str(key["name"]).replace(before, after),
                key["referred_table"], key["constrained_columns"], key["referred_columns"],
            )  # fmt: skip
        for constraint in unique:
            table.drop_constraint(str(constraint["name"]), type_="unique")
            table.create_unique_constraint(str(constraint["name"]).replace(before, after), constraint["column_names"])


def _rename_keys(table: str, key: str, column: str, names: Mapping[str, str]) -> None:
    """Rename keys of the JSON documents in one column; documents without such a key are not written."""
    _rewrite(table, key, column, names, lambda document: _renamed(document, names))


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {names.get(name, name): _renamed(inner, names) for name, inner in value.items()}
    return [_renamed(inner, names) for inner in value] if isinstance(value, list) else value


def _rewrite(table: str, key: str, column: str, names: Mapping[str, str], change: Callable[[Any], Any]) -> None:
    rows = sa.table(table, sa.column(key), sa.column(column, sa.JSON(none_as_null=True)))
    statement = sa.update(rows).where(rows.c[key] == sa.bindparam("row_key")).values({column: sa.bindparam("changed")})
    for batch in _documents(rows.c[key], rows.c[column], names):
        changed = [{"row_key": row_key, "changed": change(document)} for row_key, document in batch]
        op.get_bind().execute(statement, changed)


def _documents(
    key: sa.ColumnClause[Any], column: sa.ColumnClause[Any], names: Mapping[str, str]
) -> Iterator[list[tuple[Any, Any]]]:
    """Yield (key, document) of the rows whose document has one of the names, some rows at a time."""
    text = sa.cast(column, sa.Text())
    has_name = sa.or_(*(text.contains(f'"{name}"', autoescape=True) for name in names))
    query = sa.select(key, column).where(has_name).order_by(key).limit(_ROWS_AT_A_TIME)
    batch = [(row[0], row[1]) for row in op.get_bind().execute(query)]
    while batch:
        yield batch
        batch = [(row[0], row[1]) for row in op.get_bind().execute(query.where(key > batch[-1][0]))]


def _rewrite_toolchain_keys(names: tuple[str, ...]) -> None:
    """Compute the keys of requested toolchains again: they hash a document whose key was renamed."""
    bind = op.get_bind()
    requests = sa.table(
        "build_requests", sa.column("id"), sa.column("toolchain_key"), sa.column("toolchain", sa.JSON())
    )
    for row_id, toolchain in list(bind.execute(sa.select(requests.c.id, requests.c.toolchain))):
        text = json.dumps({name: toolchain.get(name) for name in names}, separators=(",", ":"))
        digest = hashlib.sha256(text.encode()).hexdigest()
        bind.execute(sa.update(requests).where(requests.c.id == row_id).values(toolchain_key=digest))
