import subprocess
import sys
import time

import pytest

from corpus.material import MaterialMissing
from corpus.packaged.process import output_of


class TestOutputOf:
    def test_output_is_complete(self) -> None:
        with output_of([sys.executable, "-c", "print('x' * 3_000_000, end='')"]) as blocks:
            assert b"".join(blocks) == b"x" * 3_000_000

    def test_program_is_killed_when_the_context_ends_early(self) -> None:
        marker = f"leave-early-{time.monotonic_ns()}"
        with output_of(["sh", "-c", f"while :; do echo {marker}; done"]) as blocks:
            assert marker.encode() in next(blocks)
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
        assert marker not in listed.stdout

    def test_error_contains_the_end_of_stderr(self) -> None:
        # A program that writes much to stderr must neither block on a full pipe nor fill the message.
        script = "import sys; print('out'); sys.stderr.write('noise ' * 200_000 + 'the reason'); sys.exit(3)"
        with (
            output_of([sys.executable, "-c", script]) as blocks,
            pytest.raises(MaterialMissing, match=r"exit code 3 .*the reason") as caught,
        ):
            list(blocks)
        assert len(caught.value.detail) < 3000
