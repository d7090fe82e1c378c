"""The launcher with real children: what it times and kills, and that no process is left."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from orchestrator.wire.launcher import Ended, Refused, Started
from tests.support.processes import is_alive
from tests.support.waiting import GENEROUS_SECONDS, until

KIBIBYTE, MEBIBYTE = 1 << 10, 1 << 20
SECOND_RUN = ("run 5", "timeout_ms 60000", "output_limit 9", "arg /bin/true", "go")


@dataclass(frozen=True)
class Outcome:
    """An ended child and what it wrote."""

    ended: Ended
    stdout: bytes
    stderr: bytes


@dataclass
class Launcher:
    """The daemon's side of the protocol, as small as a test needs it."""

    process: subprocess.Popen[bytes]
    last_id: int = field(default=0)

    def send(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def event(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        event: dict[str, Any] = json.loads(self.process.stdout.readline())
        return event

    def start(self, *arguments: str | Path, timeout_ms: int = 60_000, limit: int = MEBIBYTE, **env: str) -> Started:
        self.last_id += 1
        self.send(
            f"run {self.last_id}",
            f"timeout_ms {timeout_ms}",
            f"output_limit {limit}",
            *(f"env {name}={value}" for name, value in env.items()),
            *(f"arg {argument}" for argument in arguments),
            "go",
        )
        return Started.read(self.event())

    def finish(self) -> Outcome:
        assert self.process.stdout is not None
        ended = Ended.read(self.event())
        assert ended.id == self.last_id
        return Outcome(
            ended, self.process.stdout.read(ended.stdout_bytes), self.process.stdout.read(ended.stderr_bytes)
        )

    def run(self, *arguments: str | Path, **options: Any) -> Outcome:
        self.start(*arguments, **options)
        return self.finish()


@pytest.fixture(params=[{}, {"CIPHERMARK_EXIT_STOP": "1"}], ids=["untraced", "traced"])
def launcher(programs: Path, request: pytest.FixtureRequest) -> Iterator[Launcher]:
    with subprocess.Popen(
        [programs / "ciphermark-launcher", "--parent", str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=request.param,
    ) as process:
        yield Launcher(process)


@dataclass(frozen=True)
class Gate:
    """A child that ends when the test opens its gate."""

    fifo: Path

    @property
    def command(self) -> tuple[str | Path, ...]:
        """Return the child's command: it opens the pipe for reading, which waits for a writer."""
        return ("/bin/cat", self.fifo)

    def open(self) -> None:
        """Let the child end."""
        self.fifo.write_bytes(b"")


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    os.mkfifo(tmp_path / "gate")
    return Gate(tmp_path / "gate")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of small static programs whose memory is known."""
    folder = tmp_path_factory.mktemp("compiled")
    sources = {
        "nothing": "int main(void) { return 0; }",
        "holder": """
            #include <stdlib.h>
            #include <string.h>
            int main(void) { char *m = malloc(64u << 20); memset(m, 1, 64u << 20); return m[12345] - 1; }
        """,
    }
    for name, source in sources.items():
        (folder / f"{name}.c").write_text(source)
        command: list[str | Path] = ["cc", "-O1", "-fno-builtin", "-static", "-o", folder / name, folder / f"{name}.c"]
        subprocess.run(command, check=True)
    return folder


def _open_files(pid: int) -> int:
    """Count them without the kernel's events, of which it keeps as many as it was granted, and its own signals."""
    found = 0
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            found += not any(kind in str(file.readlink()) for kind in ("perf_event", "signalfd"))
    return found


def _wait_until_gone(pid: int) -> None:
    until(lambda: not is_alive(pid), f"the end of process {pid}")


class TestReports:
    def test_a_child_gets_exactly_its_environment_and_arguments(self, launcher: Launcher) -> None:
        code = "import os,sys; print(sorted(os.environ.items()), sys.argv[1:])"
        outcome = launcher.run(sys.executable, "-c", code, "two words", "", "ü=$HOME", B="x y", A="")
        # Python itself may add LC_CTYPE when the locale is C.
        assert "('A', ''), ('B', 'x y')" in outcome.stdout.decode()
        assert "PATH" not in outcome.stdout.decode()
        assert "['two words', '', 'ü=$HOME']" in outcome.stdout.decode()

    def test_exit_code_and_both_outputs_come_back(self, launcher: Launcher) -> None:
        outcome = launcher.run("/bin/sh", "-c", "echo out; echo err >&2; exit 7")
        assert (outcome.ended.exit_code, outcome.ended.signal) == (7, None)
        assert (outcome.stdout, outcome.stderr) == (b"out\n", b"err\n")

    def test_crash_is_reported_with_its_signal(self, launcher: Launcher) -> None:
        ended = launcher.run("/bin/sh", "-c", "kill -SEGV $$").ended
        assert (ended.exit_code, ended.signal) == (None, signal.SIGSEGV)

    def test_the_clock_is_that_of_python(self, launcher: Launcher) -> None:
        before = time.monotonic_ns()
        ended = launcher.run("/bin/sleep", "0.2").ended
        assert before <= ended.spawn_ns <= ended.end_ns <= time.monotonic_ns()
        assert ended.end_ns - ended.spawn_ns >= 200_000_000

    def test_cpu_time_is_that_of_the_child(self, launcher: Launcher) -> None:
        ended = launcher.run("/bin/sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done").ended
        wall_us = (ended.end_ns - ended.spawn_ns) / 1000
        assert 10_000 < ended.user_us + ended.system_us <= wall_us + 10_000

    def test_a_child_runs_on_the_core_it_was_given(self, launcher: Launcher) -> None:
        core = max(os.sched_getaffinity(0))
        code = "import os; print(os.sched_getaffinity(0))"
        launcher.last_id = 1
        launcher.send("run 1", f"cpu {core}", "timeout_ms 60000", "output_limit 100", f"arg {sys.executable}")
        launcher.send("arg -c", f"arg {code}", "go")
        assert launcher.event()["event"] == "started"
        assert launcher.finish().stdout.decode().strip() == str({core})

    def test_many_runs_one_after_the_other(self, launcher: Launcher, compiled: Path) -> None:
        outcomes = [launcher.run(compiled / "nothing") for _ in range(200)]
        assert all(outcome.ended.exit_code == 0 for outcome in outcomes)
        # It reports an end before it cleans up: the last run's file may still be open at that moment.
        until(lambda: _open_files(launcher.process.pid) == 4, "the launcher's last open file to be closed")


class TestMemory:
    def test_64_mebibytes_read_as_64_mebibytes(self, launcher: Launcher, compiled: Path) -> None:
        ended = launcher.run(compiled / "holder").ended
        assert 64 * MEBIBYTE <= ended.max_rss_bytes <= 65 * MEBIBYTE

    def test_a_long_output_does_not_spoil_the_next_reading(self, launcher: Launcher, compiled: Path) -> None:
        launcher.run("/bin/sh", "-c", "head -c 8000000 /dev/zero", limit=10 * MEBIBYTE)
        assert launcher.run(compiled / "nothing").ended.max_rss_bytes < 900 * KIBIBYTE


class TestWhatItEnds:
    def test_a_child_past_its_time_is_killed(self, launcher: Launcher) -> None:
        ended = launcher.run("/bin/sleep", "60", timeout_ms=300).ended
        assert (ended.timed_out, ended.signal) == (True, signal.SIGKILL)
        assert 300_000_000 <= ended.end_ns - ended.spawn_ns < 60_000_000_000

    def test_a_flood_is_stopped_and_its_beginning_kept(self, launcher: Launcher) -> None:
        outcome = launcher.run("/usr/bin/yes", limit=5000)
        assert (outcome.ended.output_exceeded, outcome.ended.signal) == (True, signal.SIGKILL)
        assert outcome.stdout == b"y\n" * 2500

    def test_of_too_much_standard_error_the_end_is_kept(self, launcher: Launcher) -> None:
        # One write, so that the reason is in the pipe together with what is too much.
        code = "import os; os.write(2, bytes(30_000) + b'the reason')"
        outcome = launcher.run(sys.executable, "-c", code, limit=20_000)
        assert outcome.ended.output_exceeded
        assert outcome.stderr == bytes(8192 - 10) + b"the reason"

    def test_output_up_to_the_limit_is_no_flood(self, launcher: Launcher) -> None:
        outcome = launcher.run("/bin/sh", "-c", "head -c 5000 /dev/zero", limit=5000)
        assert (outcome.ended.output_exceeded, outcome.ended.exit_code) == (False, 0)
        assert outcome.stdout == bytes(5000)

    def test_kill_ends_a_child_immediately(self, launcher: Launcher) -> None:
        launcher.start("/bin/sleep", "60")
        launcher.send("kill 1")
        ended = launcher.finish().ended
        assert (ended.signal, ended.timed_out) == (signal.SIGKILL, False)

    def test_kill_of_another_run_is_passed_over(self, launcher: Launcher, gate: Gate) -> None:
        launcher.start(*gate.command)
        launcher.send("kill 77", "nonsense")
        # Requests are answered in their order: the kill has been read before this refusal.
        assert "expected 'run <id>' first" in Refused.read(launcher.event()).detail
        gate.open()
        assert launcher.finish().ended.exit_code == 0

    def test_grandchildren_end_with_the_child(self, launcher: Launcher) -> None:
        outcome = launcher.run("/bin/sh", "-c", "sleep 60 & echo $!")
        assert outcome.ended.exit_code == 0
        _wait_until_gone(int(outcome.stdout))


class TestNextRun:
    """A run that is sent while another one works."""

    def test_it_starts_after_the_end_of_that_one(self, launcher: Launcher, gate: Gate) -> None:
        first = launcher.start(*gate.command)
        launcher.send(*SECOND_RUN)
        gate.open()
        ended = launcher.finish().ended
        second = Started.read(launcher.event())
        launcher.last_id = 5

        assert first.accepts_next
        assert second.id == 5
        assert second.spawn_ns > ended.end_ns
        assert launcher.finish().ended.exit_code == 0

    def test_it_is_taken_back_by_a_kill(self, launcher: Launcher, gate: Gate) -> None:
        launcher.start(*gate.command)
        launcher.send(*SECOND_RUN, "kill 5")
        refused = Refused.read(launcher.event())
        gate.open()

        assert (refused.id, refused.detail) == (5, "killed before its start")
        assert launcher.finish().ended.exit_code == 0
        assert launcher.run("/bin/true").ended.exit_code == 0

    def test_only_one_can_wait(self, launcher: Launcher) -> None:
        child = launcher.start("/bin/sleep", "60").pid
        launcher.send(*SECOND_RUN, "run 6")

        assert "waiting already" in Refused.read(launcher.event()).detail
        assert launcher.process.wait(GENEROUS_SECONDS) == 2
        assert not is_alive(child)


class TestMemoryGroup:
    def test_peak_counts_from_the_use_at_the_start_of_each_child(self, programs: Path, tmp_path: Path) -> None:
        """With plain files in place of the kernel's, into which the child writes a peak."""
        peak, use = tmp_path / "peak", tmp_path / "use"
        peak.write_text("900000\n")
        use.write_text("300000\n")
        with peak.open("r+") as peak_file, use.open() as use_file:
            descriptors = (peak_file.fileno(), use_file.fileno())
            with subprocess.Popen(
                [programs / "ciphermark-launcher", "--parent", str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={"CIPHERMARK_MEMORY_GROUP": " ".join(map(str, descriptors))},
                pass_fds=descriptors,
            ) as process:
                launcher = Launcher(process)
                quiet = launcher.run("/bin/sh", "-c", "ls -1 /proc/self/fd")
                busy = launcher.run("/bin/sh", "-c", f"echo 1300000 > {peak}")

        assert quiet.ended.cgroup_peak_bytes == 0  # Set back to "0", and larger than the use never.
        assert quiet.stdout.split() == [b"0", b"1", b"2", b"3"]
        assert busy.ended.cgroup_peak_bytes == 1_000_000

    def test_without_a_group_there_is_no_peak(self, launcher: Launcher) -> None:
        assert launcher.run("/bin/true").ended.cgroup_peak_bytes is None


class TestStreams:
    def test_inherited_descriptors_become_the_streams_and_nothing_else_is_inherited(
        self, programs: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "input").write_text("from a file\n")
        with (tmp_path / "input").open() as given, (tmp_path / "output").open("w") as taken:
            descriptors = (given.fileno(), taken.fileno())
            with subprocess.Popen(
                [programs / "ciphermark-launcher", "--parent", str(os.getpid())],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=descriptors,
            ) as process:
                launcher = Launcher(process)
                arguments = ("/bin/sh", "-c", "cat; ls -1 /proc/self/fd >&2")
                launcher.send(
                    "run 1",
                    "timeout_ms 60000",
                    "output_limit 9999",
                    f"stdin {descriptors[0]}",
                    f"stdout {descriptors[1]}",
                    *(f"arg {argument}" for argument in arguments),
                    "go",
                )
                launcher.last_id = 1
                Started.read(launcher.event())
                outcome = launcher.finish()

        assert outcome.ended.exit_code == 0
        assert (tmp_path / "output").read_text() == "from a file\n"
        assert outcome.stdout == b""
        # 3 is the folder that ls reads.
        assert outcome.stderr.split() == [b"0", b"1", b"2", b"3"]


class TestNobodyIsLeftBehind:
    def test_the_child_dies_with_the_launcher(self, launcher: Launcher) -> None:
        child = launcher.start("/bin/sleep", "60").pid
        launcher.process.kill()
        _wait_until_gone(child)

    def test_the_child_dies_when_the_daemon_closes_its_end(self, launcher: Launcher) -> None:
        child = launcher.start("/bin/sleep", "60").pid
        assert launcher.process.stdin is not None
        launcher.process.stdin.close()
        assert launcher.process.wait(GENEROUS_SECONDS) == 0
        assert not is_alive(child)

    def test_both_die_with_a_daemon_that_is_killed(self, programs: Path) -> None:
        """The substitute daemon prints the numbers of launcher and child, and is then killed without warning."""
        code = textwrap.dedent(
            f"""
            import json, os, subprocess
            launcher = subprocess.Popen(["{programs}/ciphermark-launcher", "--parent", str(os.getpid())],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            launcher.stdin.write(b"run 1\\ntimeout_ms 60000\\noutput_limit 100\\narg /bin/sleep\\narg 60\\ngo\\n")
            launcher.stdin.flush()
            print(launcher.pid, json.loads(launcher.stdout.readline())["pid"], flush=True)
            launcher.wait()
            """
        )
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as daemon:
            assert daemon.stdout is not None
            pids = [int(word) for word in daemon.stdout.readline().split()]
            assert all(is_alive(pid) for pid in pids)
            daemon.kill()
        for pid in pids:
            _wait_until_gone(pid)

    def test_a_parent_that_is_gone_already_is_noticed(self, programs: Path) -> None:
        command = [programs / "ciphermark-launcher", "--parent", "1"]
        ended = subprocess.run(command, timeout=GENEROUS_SECONDS, check=False)
        assert ended.returncode == 70


class TestLines:
    def test_values_of_several_lines_reach_the_child(self, launcher: Launcher) -> None:
        script = 'printf "%s|%s" "$FIRST" "$1"'
        lines = ("env FIRST=a", "more ", "more  go", f"arg {script}", "more :", "arg name", "arg b", "more c")
        launcher.last_id = 1

        launcher.send("run 1", "timeout_ms 60000", "output_limit 99", "arg /bin/sh", "arg -c", *lines, "go")

        Started.read(launcher.event())
        outcome = launcher.finish()
        assert outcome.stdout == b"a\n\n go|b\nc"


class TestRefusals:
    @pytest.mark.parametrize(
        ("lines", "detail"),
        [
            (("run x",), "run: expected a number"),
            (("go",), "expected 'run <id>' first"),
            (("run 1", "cpu 99999"), "cpu: expected"),
            (("run 1", "timeout_ms -1"), "timeout_ms: expected"),
            (("run 1", "output_limit 1x"), "output_limit: expected"),
            (("run 1", "env NOVALUE"), "env: expected NAME=VALUE"),
            (("run 1", "stdout 2"), "expected an inherited descriptor"),
            (("run 1", "stdin 900", "timeout_ms 1", "output_limit 1", "arg /bin/true", "go"), "Bad file descriptor"),
            (("run 1", "nice 5"), "expected run, cpu"),
            (("run 1", "more a"), "more: expected after env, arg or more"),
            (("run 1", "arg /bin/true", "cpu 0", "more a"), "more: expected after env, arg or more"),
            (("run 1", "arg a", *("more " + "x" * 60_000 for _ in range(5))), "256 KiB"),
            (("run 1", "timeout_ms 1", "output_limit 1", "arg true", "go"), "absolute path"),
            (("run 1", "timeout_ms 1", "output_limit 1", "go"), "absolute path"),
            (("run 1", "output_limit 1", "arg /bin/true", "go"), "timeout_ms: expected at least 1"),
            (("run 1", "timeout_ms 1", "output_limit 1", "arg /nonexistent", "go"), "No such file"),
            (("run 1", "timeout_ms 1", "output_limit 1", "arg /etc/passwd", "go"), "Permission denied"),
            (("run 1", "cpu 1000", "timeout_ms 1", "output_limit 1", "arg /bin/true", "go"), "Invalid argument"),
            (("run 1", *("arg " + "x" * 60_000 for _ in range(5))), "256 KiB"),
        ],
    )
    def test_a_bad_request_is_answered_once_and_the_next_one_works(
        self, launcher: Launcher, lines: tuple[str, ...], detail: str
    ) -> None:
        launcher.send(*lines)
        assert detail in Refused.read(launcher.event()).detail
        launcher.last_id = 8
        assert launcher.run("/bin/sh", "-c", "exit 0").ended.exit_code == 0

    def test_a_line_without_end_is_refused(self, launcher: Launcher) -> None:
        """Just as many bytes as a pipe holds: a longer write would meet the launcher's end half-way."""
        assert launcher.process.stdin is not None
        launcher.process.stdin.write(b"x" * 64 * KIBIBYTE)
        launcher.process.stdin.flush()
        assert "64 KiB" in Refused.read(launcher.event()).detail
        assert launcher.process.wait(GENEROUS_SECONDS) == 2
