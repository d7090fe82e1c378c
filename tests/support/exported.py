"""Rows of an exported file, with the reasons of absent values that the file has once."""

import csv
import io
import json
from typing import Any

from orchestrator.shared.exporters import CompleteReasons

ABSENT_BECAUSE = "absent_because"


def rows_of_csv(text: str) -> list[dict[str, Any]]:
    """Return the rows of a CSV file as texts, but for the reasons, a mapping in each row."""
    reasons, rows = CompleteReasons(), list[dict[str, Any]](csv.DictReader(io.StringIO(text, newline="")))
    for row in rows:
        cell = row.get(ABSENT_BECAUSE)
        if cell is not None:
            row[ABSENT_BECAUSE] = reasons.complete(json.loads(cell) if cell.startswith("{") else cell or None)
    return rows


def rows_of_json_lines(text: str) -> list[dict[str, Any]]:
    """Return the rows of a file of JSON lines, with the reasons in each row."""
    reasons, rows = CompleteReasons(), [json.loads(line) for line in text.splitlines()]
    for row in rows:
        if ABSENT_BECAUSE in row:
            row[ABSENT_BECAUSE] = reasons.complete(row[ABSENT_BECAUSE])
    return rows
