"""Code blocks of the documentation, and the markers above them.

An HTML comment in the line above a block is its marker:

- ``<!-- not executed: REASON -->`` for a block of commands;
- ``<!-- on stored results: RUN -->`` for commands that are executed on a service which has only this run of
  ``tests/fixtures/measured-runs``; the next block is their output, of which lines may be left out;
- ``<!-- also on stored results: RUN -->`` for commands that are executed on the system of the other blocks as well;
- ``<!-- file: NAME -->`` for a plan that the commands after it use;
- ``<!-- fragment of the plan above -->`` for keys that replace those of the last complete plan of the page.

``<!-- commands of this page: executed by TEST -->`` excuses a page that has a test of its own; that
test must name the page.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support import measured_runs
from tests.support.paths import REPOSITORY

COMMANDS = "sh"
PLAN = "yaml"
FRAGMENT = "fragment of the plan above"
_NOT_EXECUTED = "not executed: "
_EXECUTED_BY = "executed by "
_ON_STORED = "on stored results: "
_FILE = "file: "
_OTHER_TEST = re.compile(r"^<!-- commands of this page: executed by (\S+) -->$", re.MULTILINE)
_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)$")
_MARKER = re.compile(r"^ *<!-- (.+) -->$")
_PROGRAMS = re.compile(
    r"^(?:\$ )?(?:sudo |\.venv/bin/)?(?:ciphermark|make|apt-get|git|curl|cmake|pip|python3?) ", re.MULTILINE
)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    text: str
    marker: str
    output: str = ""
    """Text of the next block, if that has no language and only empty lines are between them."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def end(self) -> int:
        """Return the number of the line that closes the block."""
        return self.line + self.text.count("\n") + 1

    @property
    def reason(self) -> str:
        """Return why the commands are not executed; empty if they are."""
        return self.marker.removeprefix(_NOT_EXECUTED).strip() if self.marker.startswith(_NOT_EXECUTED) else ""

    @property
    def stored_run(self) -> str:
        """Return the name of the stored run on which the commands are executed; empty if there is none."""
        return self.marker.removeprefix("also ").removeprefix(_ON_STORED) if _ON_STORED in self.marker else ""

    @property
    def is_executed(self) -> bool:
        """Return whether the commands are executed on a system that measures."""
        return not self.reason and not self.marker.startswith(_ON_STORED)

    @property
    def file_name(self) -> str:
        """Return the name of the file that the block is saved as; empty if it is none."""
        return self.marker.removeprefix(_FILE).strip() if self.marker.startswith(_FILE) else ""


def pages() -> list[Path]:
    """Return the pages with commands, in the order in which they are read."""
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md")), REPOSITORY / "CONTRIBUTING.md"]


def blocks_of(page: str, text: str) -> list[Block]:
    """Return the blocks of a page in their order."""
    lines = text.splitlines()
    other_test = _OTHER_TEST.search(text)
    found, start, language = list[Block](), None, ""
    for number, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        if start is None:
            start, language = number, fence["language"]
            continue
        above = _MARKER.match(lines[start - 1]) if start else None
        body = "\n".join(lines[start + 1 : number]) + "\n"
        marker = above[1] if above else ""
        if other_test and language == COMMANDS:
            marker = f"{_NOT_EXECUTED}{_EXECUTED_BY}{other_test[1]}"
        if found and language == "" and _only_empty(lines[found[-1].end : start]):
            found[-1] = replace(found[-1], output=body)
        found.append(Block(page, start + 1, language, body, marker))
        start = None
    return found


def _only_empty(lines: Sequence[str]) -> bool:
    return not any(line.strip() for line in lines)


def missing_lines(shown: str, printed: str) -> list[str]:
    """Return the shown lines that a command did not print in their order, whatever the width of its columns."""
    rest = iter([" ".join(line.split()) for line in printed.splitlines()])
    expected = (" ".join(line.split()) for line in shown.splitlines())
    return [line for line in expected if line and line not in rest]


def all_blocks() -> list[Block]:
    """Return the blocks of every page."""
    return [
        block
        for page in pages()
        for block in blocks_of(page.relative_to(REPOSITORY).as_posix(), page.read_text(encoding="utf-8"))
    ]


def problems_of(block: Block) -> list[str]:
    """Return what keeps a block from being executed or excused."""
    found = []
    if block.language in ("bash", "shell", "console", "zsh"):
        found.append(f"{block}: commands are in blocks of the language {COMMANDS}, not {block.language}")
    if block.language == "" and _PROGRAMS.search(block.text):
        found.append(f"{block}: the block has a command and no language; the language of commands is {COMMANDS}")
    if block.marker.startswith("not executed") and not block.reason:
        found.append(f"{block}: the marker has no reason; expected: <!-- not executed: REASON -->")
    if block.language == PLAN and block.marker != FRAGMENT and not block.text.startswith("version:"):
        found.append(f"{block}: the plan is a fragment; expected: <!-- {FRAGMENT} -->")
    if block.stored_run and block.stored_run not in measured_runs.names():
        found.append(f"{block}: the stored run is not one of {', '.join(measured_runs.names())}")
    if block.stored_run and not block.output:
        found.append(f"{block}: no output follows the commands that are executed on stored results")
    if (block.reason or block.stored_run) and block.language != COMMANDS:
        found.append(f"{block}: only blocks of {COMMANDS} are executed")
    if block.reason.startswith(_EXECUTED_BY):
        test = REPOSITORY / block.reason.removeprefix(_EXECUTED_BY)
        if not test.is_file() or Path(block.page).name not in test.read_text(encoding="utf-8"):
            found.append(f"{block}: {test.name} does not exist or does not name the page")
    return found
