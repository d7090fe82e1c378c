"""Parquet: typed columns with units and descriptions in their metadata; equal texts are stored once per row group."""

from collections.abc import Iterable, Iterator, Sequence

from orchestrator.shared.exporters import NO_FACTS, Cell, Facts
from orchestrator.shared.exporters.arrow import Table, pieces, pyarrow

NAME = "parquet"
MEDIA_TYPE = "application/vnd.apache.parquet"


def stream(columns: Sequence[str], rows: Iterable[Sequence[Cell]], facts: Facts = NO_FACTS) -> Iterator[bytes]:
    """Yield the file in row groups of up to 5 000 rows; raises InvalidRequest if pyarrow is not installed."""
    arrow = pyarrow(NAME)
    table = Table(arrow, columns, facts)
    # Lowest and highest values of texts would repeat long reasons in each row group.
    how = {"compression": "zstd", "write_statistics": table.names_of_numbers() or False}
    return pieces(table, rows, lambda sink: arrow.parquet.ParquetWriter(sink, table.schema, **how))
