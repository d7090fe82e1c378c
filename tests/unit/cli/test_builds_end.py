"""The commands that build runners end with their compilers."""

import signal
import subprocess
import sys
from pathlib import Path

from tests.support.processes import is_alive
from tests.support.waiting import until

BUILD = """
from dataclasses import replace
from pathlib import Path
from orchestrator.cli.commands.runners import _progress
from orchestrator.compilation.native.steps import execute
with _progress("a build") as observer:
    noting = replace(observer, progress=Path("{0}").write_text)
    execute(["sh", "-c", "sleep 600 & echo $!; wait"], noting)
"""


def test_sigterm_ends_the_compilers_of_a_build(tmp_path: Path) -> None:
    """They ran on, because each step of a build has a session of its own."""
    note = tmp_path / "pid"
    with subprocess.Popen([sys.executable, "-c", BUILD.format(note)], stderr=subprocess.DEVNULL) as command:
        compiler = int(until(lambda: note.exists() and note.read_text(), "the compiler", 60))

        command.send_signal(signal.SIGTERM)

        assert command.wait(60) != 0
    until(lambda: not is_alive(compiler), "the compiler's end")
