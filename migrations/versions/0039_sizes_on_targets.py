"""A build has footprints on other processors than its own, and footprints contain how much of the code is constants.

Revision: 0039
Before: 0038
"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None

_KEY = ("build_id", "provider", "algorithm", "variant")
_BEFORE = "uq_footprints_build_id_provider_algorithm_variant"
_AFTER = "uq_footprints_build_id_provider_algorithm_variant_target"


def upgrade() -> None:
    op.add_column("footprints", sa.Column("target", sa.String(32), nullable=False, server_default=""))
    op.add_column("footprints", sa.Column("constant_bytes", sa.BigInteger(), nullable=True))
    with op.batch_alter_table("footprints") as table:
        table.drop_constraint(_BEFORE, type_="unique")
        table.create_unique_constraint(_AFTER, [*_KEY, "target"])
        table.alter_column("target", existing_type=sa.String(32), existing_nullable=False, server_default=None)


def downgrade() -> None:
    op.execute("DELETE FROM footprints WHERE target <> ''")
    with op.batch_alter_table("footprints") as table:
        table.drop_constraint(_AFTER, type_="unique")
        table.create_unique_constraint(_BEFORE, list(_KEY))
        table.drop_column("constant_bytes")
        table.drop_column("target")
