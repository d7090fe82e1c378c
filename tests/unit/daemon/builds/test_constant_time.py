"""Execution of ``constant-time`` in batches, with programs that imitate runners."""

import json
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil

from orchestrator.compilation.constant_time.execution import examine
from orchestrator.compilation.installed import Program
from orchestrator.compilation.native.steps import BuildObserver
from tests.support.processes import is_alive
from tests.support.waiting import until

QUIET = BuildObserver(lambda _: None)
NAMES = [("a-1", "ref"), ("a-2", "ref"), ("a-3", "ref"), ("a-4", "ref")]
REPORT = {
    "protocol": 2, "command": "constant-time", "provider": "own", "algorithm": "NAME", "variant": "ref",
    "masking": None, "claimed": True, "cpu_features": ["avx2"], "secrets": None, "secrets_reason": "not valgrind",
    "timing": {"calls": 1000, "message_bytes": 64, "t": 1.5}, "timing_reason": None,
}  # fmt: skip


def program(folder: Path, at_each: str) -> Program:
    """Return a runner that reports each implementation; at_each: commands before that, with its name in $name."""
    script = folder / "ciphermark-own"
    script.write_text(
        "#!/bin/bash\n"
        "for each in ${3//,/ }; do name=${each%/*}\n"
        f"{at_each}\n"
        f"line='{json.dumps(REPORT)}'; echo \"${{line/NAME/$name}}\"\n"
        "done\n"
    )
    script.chmod(0o700)
    return Program("ciphermark-own", (str(script),), (script,))


def test_implementation_that_ends_the_program_is_left_out_and_the_others_are_examined(tmp_path: Path) -> None:
    line = "==1== Process terminating with default action of signal 4 (SIGILL)"
    died = f'[ $name != a-2 ] || {{ echo "{line}" >&2; kill -ILL $$; }}'
    found = examine(program(tmp_path, died), NAMES, QUIET)
    assert found["a-2", "ref"] == "valgrind: Process terminating with default action of signal 4 (SIGILL)"
    assert [isinstance(found[name], str) for name in NAMES] == [False, True, False, False]


def test_runner_without_the_command_is_not_started_for_each_implementation(tmp_path: Path) -> None:
    refused = f"""echo x >>{tmp_path}/starts; echo '{{"error": "usage", "detail": "no such command"}}' >&2; exit 2"""
    found = examine(program(tmp_path, refused), NAMES * 10, QUIET)
    assert set(found.values()) == {"no such command"}
    assert (tmp_path / "starts").read_text().count("x") == 3


def test_features_that_valgrind_lacks_are_not_missing_on_the_processor(tmp_path: Path) -> None:
    # Finding F113: a tooltip named a missing feature that the processor had just used.
    refused = """echo '{"error": "unsupported-cpu", "detail": "this processor lacks avx512f"}' >&2; exit 3"""
    for under, expected in ((("env",), "the processor that valgrind simulates lacks avx512f"),
                            ((), "this processor lacks avx512f")):  # fmt: skip
        assert set(examine(program(tmp_path, refused), NAMES[:1], QUIET, under=under).values()) == {expected}


def test_program_that_does_not_end_is_killed_and_named(tmp_path: Path) -> None:
    found = examine(program(tmp_path, "[ $name != a-3 ] || sleep 1000"), NAMES, QUIET, seconds=0.5)
    assert "did not finish within" in str(found["a-3", "ref"])
    assert not isinstance(found["a-4", "ref"], str)


def test_missing_program_is_a_reason(tmp_path: Path) -> None:
    absent = Program("ciphermark-own", (str(tmp_path / "absent"),), ())
    assert "No such file" in str(examine(absent, NAMES[:1], QUIET)["a-1", "ref"])


EXAMINE = """
import sys
from pathlib import Path
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.constant_time.execution import examine
from orchestrator.compilation.installed import Program
path = Path(sys.argv[1])
examine(Program(path.name, (str(path),), (path,)), [("a-1", "ref")], BuildObserver(lambda _: None))
"""


def test_program_that_is_stopped_ends_with_a_killed_daemon(tmp_path: Path) -> None:
    """Regression: a check that paused for a job stayed forever after its daemon was killed."""
    pid_file = tmp_path / "pid"
    script = program(tmp_path, f"echo $$ > {pid_file}.new; mv {pid_file}.new {pid_file}; sleep 1000")
    daemon = subprocess.Popen([sys.executable, "-c", EXAMINE, str(script.path)])
    until(pid_file.exists, "the program")
    examined = psutil.Process(int(pid_file.read_text()))
    children = examined.children()
    examined.send_signal(signal.SIGSTOP)
    daemon.kill()
    daemon.wait()
    until(lambda: not is_alive(examined.pid), "the end of the program")
    for child in children:
        with suppress(psutil.NoSuchProcess):  # it may have ended by itself
            child.kill()
