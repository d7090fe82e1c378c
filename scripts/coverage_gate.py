"""Gate on the share of the Python code that the tests execute.

    scripts/coverage_gate.py build/coverage/report.json      (written by ``coverage json``)

Prints the figures and the files with the lowest shares; ends with 1 when a share is below its bound.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LEAST_LINES_PERCENT = 96.0
LEAST_BRANCHES_PERCENT = 90.0
LEAST_LINES_PERCENT_OF_A_FILE = 70.0
WORST_FILES = 10

EXCUSES: dict[str, str] = {
    "orchestrator/cli/commands/demo.py": "it starts `up` and measures for a minute; each part has its own tests",
    "orchestrator/cli/continuous/local.py": "it starts `up` and measures two builds: tests/acceptance/test_ci_local.py",
    "orchestrator/cli/cross_builds/sysroot.py": "it downloads packages from the distribution, which only a trial does",
    "orchestrator/web/vega_program.py": "an isolated process without coverage; tests read what it makes",
}
"""Files below the bound of a file, each with the reason. A file that reaches the bound needs none, and must go."""


@dataclass(frozen=True)
class Share:
    """Executed lines or branches of all there are."""

    executed: int
    total: int

    @property
    def percent(self) -> float:
        """Return the share in percent; nothing of nothing is everything."""
        return 100.0 * self.executed / self.total if self.total else 100.0

    def __str__(self) -> str:
        return f"{self.percent:.1f} % ({self.executed} of {self.total})"


@dataclass(frozen=True)
class Coverage:
    """Figures of a coverage report."""

    lines: Share
    branches: Share
    files: Mapping[str, Share]
    """Lines of each file."""


def read_report(document: Mapping[str, Any]) -> Coverage:
    """Return the figures of a report in the format of ``coverage json``."""
    totals = document["totals"]
    return Coverage(
        lines=_lines(totals),
        branches=Share(totals["covered_branches"], totals["num_branches"]),
        files={name: _lines(file["summary"]) for name, file in document["files"].items()},
    )


def problems(coverage: Coverage, excuses: Mapping[str, str]) -> list[str]:
    """Return what keeps the gate closed, a sentence each; empty when every bound is kept."""
    found = []
    for what, share, least in (
        ("lines", coverage.lines, LEAST_LINES_PERCENT),
        ("branches", coverage.branches, LEAST_BRANCHES_PERCENT),
    ):
        if share.percent < least:
            found.append(f"The tests execute {share} of the {what}; at least {least:g} % are required.")
    for name, share in sorted(coverage.files.items()):
        if share.percent < LEAST_LINES_PERCENT_OF_A_FILE and name not in excuses:
            found.append(
                f"{name}: the tests execute {share} of its lines; at least {LEAST_LINES_PERCENT_OF_A_FILE:g} % are "
                "required. Add tests, or a reason to EXCUSES in scripts/coverage_gate.py."
            )
    for name in sorted(excuses):
        if name not in coverage.files:
            found.append(f"{name} has an excuse and is not in the report. Remove its entry from EXCUSES.")
        elif coverage.files[name].percent >= LEAST_LINES_PERCENT_OF_A_FILE:
            found.append(f"{name} needs no excuse any more: {coverage.files[name]}. Remove its entry from EXCUSES.")
    return found


def summary(coverage: Coverage, excuses: Mapping[str, str]) -> str:
    """Return the figures and the files with the lowest shares, as text of several lines."""
    worst = sorted(coverage.files.items(), key=lambda item: item[1].percent)[:WORST_FILES]
    rows = [f"  {share.percent:5.1f} %  {name}" + _reason(name, excuses) for name, share in worst]
    return "\n".join([f"lines     {coverage.lines}", f"branches  {coverage.branches}", "lowest files:", *rows])


def _reason(name: str, excuses: Mapping[str, str]) -> str:
    return f"  (excused: {excuses[name]})" if name in excuses else ""


def _lines(figures: Mapping[str, Any]) -> Share:
    return Share(figures["covered_lines"], figures["num_statements"])


def main() -> int:
    """Judge the report that the command line names."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    coverage = read_report(json.loads(Path(sys.argv[1]).read_text()))
    print(summary(coverage, EXCUSES))
    found = problems(coverage, EXCUSES)
    for problem in found:
        print(f"coverage: {problem}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
