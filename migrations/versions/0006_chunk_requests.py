"""Chunks that the service makes on request, and the runs that wait for them.

Revision: 0006
Before: 0005
"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "chunk_requests",
        sa.Column("id", _BIG, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("length_bytes", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("done_bytes", sa.BigInteger(), nullable=True),
        sa.Column("requested_at", sa.DateTime(), nullable=False),
        sa.Column("started_at", sa.DateTime(), nullable=True),
        sa.Column("settled_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chunk_requests")),
        sa.UniqueConstraint("kind", "length_bytes", name=op.f("uq_chunk_requests_kind_length_bytes")),
    )
    op.create_table(
        "awaited_chunks",
        sa.Column("run_id", sa.String(length=12), nullable=False),
        sa.Column("request_id", _BIG, autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["request_id"], ["chunk_requests.id"], name=op.f("fk_awaited_chunks_request_id_chunk_requests")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_awaited_chunks_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", "request_id", name=op.f("pk_awaited_chunks")),
    )


def downgrade() -> None:
    op.drop_table("awaited_chunks")
    op.drop_table("chunk_requests")
