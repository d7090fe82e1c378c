"""Expected digests that nothing vouches for, agreements of earlier versions, are judged again.

Revision: 0041
Before: 0040
"""

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "INSERT INTO pending_digests (algorithm, input_sha256, requests) "
        "SELECT algorithm, input_sha256, 1 FROM expected_digests WHERE vouched_by = '' ON CONFLICT DO NOTHING"
    )


def downgrade() -> None:
    """Keep the requests: the earlier version judges and removes them as well."""
