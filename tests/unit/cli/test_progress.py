"""Progress of a series on a real pseudo-terminal, and nothing elsewhere."""

import os
import pty
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from orchestrator.cli.measuring.progress import ProgressBar


def test_bar_is_drawn_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with ProgressBar() as bar:
            bar.show(1, 4)
            bar.show(2, 4)
    blocks = []
    with suppress(OSError):  # EIO: everything is read of a terminal that is closed
        while True:
            blocks.append(os.read(ours, 100_000))
    os.close(ours)
    drawn = b"".join(blocks).decode()

    assert "measuring" in drawn
    assert "50%" in drawn


@pytest.mark.parametrize("shown", [True, False])
def test_nothing_is_drawn_into_a_file_or_next_to_output(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shown: bool
) -> None:
    with (tmp_path / "stderr").open("w") as file:
        monkeypatch.setattr(sys, "stderr", file)
        with ProgressBar(shown) as bar:
            bar.show(1, 4)

    assert (tmp_path / "stderr").read_text() == ""
