"""The commands of a Markdown page: its ``sh`` blocks, split into the command lines that a reader would type."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_KEEPS_RUNNING = re.compile(r"^(?:make up|(?:\S*/)?ciphermark up)\b")


@dataclass(frozen=True)
class Block:
    """A ``sh`` block: the heading above it, and its text."""

    heading: str
    text: str

    @property
    def commands(self) -> tuple[str, ...]:
        """Return the command lines without comments of a whole line."""
        return tuple(split(self.text))


def blocks(page: Path) -> list[Block]:
    """Return the ``sh`` blocks of a page in their order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        if fence.group(1) != "sh":
            continue
        before = text[: fence.start()]
        headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", before), re.MULTILINE)
        found.append(Block(headings[-1] if headings else "", fence.group(2)))
    return found


def below(page: Path, heading: str) -> list[Block]:
    """Return the blocks of the section whose heading contains a text; raises LookupError if there are none."""
    found = [block for block in blocks(page) if heading in block.heading]
    if not found:
        raise LookupError(f"{page} has no sh block below a heading with '{heading}'.")
    return found


def split(script: str) -> Iterator[str]:
    """Yield the commands of a script one by one; a command that the shell reads over several lines stays whole."""
    command = ""
    for line in script.splitlines():
        if not command and (not line.strip() or line.lstrip().startswith("#")):
            continue
        command += f"{line}\n"
        if _is_complete(command):
            yield command.rstrip("\n")
            command = ""
    if command:
        raise ValueError(f"This command is incomplete: {command}")


def without_comment(command: str) -> str:
    """Return a command without the comments that two spaces separate from it, for a table."""
    return re.sub(r"[ \t]{2,}# .*$", "", command, flags=re.MULTILINE).strip()


def keeps_running(command: str) -> bool:
    """Return whether a command starts the service and stays in the foreground until Ctrl-C."""
    return _KEEPS_RUNNING.match(command) is not None


def _is_complete(command: str) -> bool:
    if command.endswith("\\\n"):
        return False
    done = subprocess.run(["bash", "-n"], input=command, capture_output=True, text=True, check=False)
    return done.returncode == 0 and not done.stderr
