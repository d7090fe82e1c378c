"""Files with the results of a series: hyperfine's two formats, and tables in the export formats for text."""

import json

from orchestrator.cli.adhoc.reports.document import Results
from orchestrator.cli.adhoc.reports.hyperfine import hyperfine_csv, hyperfine_document
from orchestrator.cli.adhoc.reports.markup import Sort, given_order, markup_table
from orchestrator.shared.exporters import exporter


def file_bytes(results: Results, name: str, sort: Sort, unit: str | None) -> bytes:
    """Return the contents of a file: ``json`` and ``csv`` as hyperfine writes them, else a table of that format.

    unit: of the times of a table; hyperfine's formats are in seconds. The start of a shell is in tables only.
    Raises InvalidRequest for an unknown format.
    """
    if name not in ("json", "csv"):
        columns, rows = markup_table(results, sort, unit)
        return b"".join(exporter(name).stream(columns, rows))
    order = [place for place in given_order(results, sort) if place != results.plan.shell]
    document = hyperfine_document(
        [results.plan.programs[place] for place in order],
        [results.series.of(place) for place in order],
        [results.summaries[place] for place in order],
    )
    if name == "csv":
        return hyperfine_csv(document).encode()
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
