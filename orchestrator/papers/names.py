"""Names that papers, schemas and every form of a report share: units, scales, and verdicts with their colors."""

from collections.abc import Mapping
from typing import Literal

Unit = Literal["ns", "s", "MiB/s", "MB/s", "times", "bytes", "KiB", "MiB", "MB", "lines", "calls"]
Scale = Literal["quick", "full"]
"""Extent of a repetition."""
ReportForm = Literal["html", "md", "tex", "csv", "parquet"]
DrawingKind = Literal["bars", "table"]
AxisScale = Literal["linear", "log"]

VerdictName = Literal["reproduced here", "not reproduced here", "contradicted", "inconclusive", "not measurable here"]
"""In the order of their listing."""
Tone = Literal["good", "bad", "open", "muted"]

TONES: Mapping[VerdictName, Tone] = {
    "reproduced here": "good",
    "not reproduced here": "bad",
    "contradicted": "bad",
    "inconclusive": "open",
    "not measurable here": "muted",
}
"""Verdict → class in the page and in the HTML report, and color in the terminal."""
