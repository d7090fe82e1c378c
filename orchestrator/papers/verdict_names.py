"""Names of the verdicts on a claim in the order of their listing, with their colors, for every form of a report."""

from collections.abc import Mapping
from typing import Literal

VerdictName = Literal["reproduced here", "not reproduced here", "contradicted", "inconclusive", "not measurable here"]
Tone = Literal["good", "bad", "open", "muted"]

TONES: Mapping[VerdictName, Tone] = {
    "reproduced here": "good",
    "not reproduced here": "bad",
    "contradicted": "bad",
    "inconclusive": "open",
    "not measurable here": "muted",
}
"""Verdict → class in the page and in the HTML report, and color in the terminal."""
