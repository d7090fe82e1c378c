"""A token may be a share link, which shows one run.

Revision: 0038
Before: 0037
"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_tokens", sa.Column("run_id", sa.String(12), nullable=True))


def downgrade() -> None:
    op.execute("DELETE FROM api_tokens WHERE role = 'share'")
    op.execute("ALTER TABLE api_tokens DROP COLUMN run_id")
