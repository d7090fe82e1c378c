"""Imported results of other tools.

Revision: 0026
Before: 0023
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "imports",
        sa.Column("id", sa.String(12), nullable=False),
        sa.Column("format", sa.String(32), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("device", sa.String(120)),
        sa.Column("facts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("omissions", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("series_total", sa.BigInteger(), nullable=False),
        sa.Column("readings_total", sa.BigInteger(), nullable=False),
        sa.Column("imported_by", sa.String(80), nullable=False),
        sa.Column("imported_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_imports"),
        sa.UniqueConstraint("sha256", name="uq_imports_sha256"),
    )
    op.create_index("ix_imports_imported_at", "imports", ["imported_at"])
    op.create_table(
        "imported_series",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("import_id", sa.String(12), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(1024), nullable=False),
        sa.Column("quantity", sa.String(80), nullable=False),
        sa.Column("unit", sa.String(16), nullable=False),
        sa.Column("length_bytes", sa.BigInteger()),
        sa.Column("value", sa.Double(), nullable=False),
        sa.Column("statistic", sa.String(16), nullable=False),
        sa.Column("low", sa.Double()),
        sa.Column("high", sa.Double()),
        sa.Column("mean", sa.Double()),
        sa.Column("standard_deviation", sa.Double()),
        sa.Column("minimum", sa.Double()),
        sa.Column("maximum", sa.Double()),
        sa.Column("n", sa.BigInteger()),
        sa.Column("readings", sa.LargeBinary()),
        sa.Column("processes", sa.JSON(none_as_null=True)),
        sa.Column("facts", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("remarks", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("absent_because", sa.JSON(none_as_null=True), nullable=False),
        sa.ForeignKeyConstraint(["import_id"], ["imports.id"], name="fk_imported_series_import_id_imports"),
        sa.PrimaryKeyConstraint("id", name="pk_imported_series"),
        sa.UniqueConstraint("import_id", "position", name="uq_imported_series_import_id_position"),
    )


def downgrade() -> None:
    op.drop_table("imported_series")
    op.drop_index("ix_imports_imported_at", table_name="imports")
    op.drop_table("imports")
