"""Stop of a program at its exit, where the launcher reads its peak memory, and programs that a tracer could disturb."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from orchestrator.measurement.instrument.monitor import UNWATCHED, Monitor
from orchestrator.measurement.launch.launcher import Launched, Launcher, LaunchRequest
from orchestrator.shared.units import KIB, MIB
from tests.support.waiting import acting_once, until

EXACT_BYTES = 16 * KIB
UNPRIVILEGED_UID = 65534
SOURCES = {
    "holder": """
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>
        int main(int count, char** words) {
          size_t bytes = (size_t)atol(words[1]) << 10;
          char* memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
          madvise(memory, bytes, MADV_NOHUGEPAGE);
          memset(memory, 1, bytes);
          if (count == 3) munmap(memory, bytes);
          return 0;
        }
    """,
    "threads": """
        #include <pthread.h>
        #include <stdlib.h>
        #include <string.h>
        #include <unistd.h>
        static void* outlive(void* unused) {
          char* memory = malloc(8u << 20);
          usleep(50000);
          memset(memory, 1, 8u << 20);
          exit(5);
          return unused;
        }
        int main(int count, char** words) {
          pthread_t thread;
          pthread_create(&thread, NULL, outlive, NULL);
          if (count == 2) pthread_exit(NULL);
          pthread_join(thread, NULL);
          return words != NULL;
        }
    """,
    "plain_exit": """
        #include <sys/syscall.h>
        #include <unistd.h>
        int main(void) { syscall(SYS_exit, 3); return 0; }
    """,
    "tracer": """
        #include <sys/ptrace.h>
        int main(void) { return ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 ? 0 : 9; }
    """,
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the programs, linked statically."""
    folder = tmp_path_factory.mktemp("compiled")
    for name, source in SOURCES.items():
        (folder / f"{name}.c").write_text(source)
        command: list[str | Path] = ["cc", "-O1", "-fno-builtin", "-static", "-pthread", "-o", folder / name]
        subprocess.run([*command, folder / f"{name}.c"], check=True)
    return folder


@pytest.fixture
def launcher(programs: Path) -> Iterator[Launcher]:
    with Launcher(programs / "ciphermark-launcher") as launcher:
        yield launcher


def execute(launcher: Launcher, *words: str | Path, timeout_seconds: float = 20.0) -> Launched:
    request = LaunchRequest(tuple(map(str, words)), timeout_seconds, 65_536)
    return launcher.wait(launcher.send(request), Monitor(UNWATCHED, Path(words[0]), None))


def has_pending(pid: int, number: signal.Signals) -> bool:
    """Return whether a signal waits to be read by the process."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return any(int(status[name], 16) >> (number - 1) & 1 for name in ("SigPnd", "ShdPnd"))


class TestReading:
    @pytest.mark.parametrize("size_kib", [64, 1024, 65_536])
    def test_memory_that_is_kept_until_exit_is_read_exactly(
        self, launcher: Launcher, compiled: Path, size_kib: int
    ) -> None:
        base = execute(launcher, compiled / "holder", "0").ended
        ended = execute(launcher, compiled / "holder", str(size_kib)).ended
        assert base.exit_rss_bytes is not None
        assert ended.exit_rss_bytes is not None
        assert ended.exit_rss_bytes - base.exit_rss_bytes == pytest.approx(size_kib * KIB, abs=EXACT_BYTES)
        assert not ended.had_children

    def test_memory_that_was_released_before_is_in_the_high_water_mark_only(
        self, launcher: Launcher, compiled: Path
    ) -> None:
        ended = execute(launcher, compiled / "holder", "65536", "free").ended
        assert ended.exit_rss_bytes is not None
        assert ended.exit_peak_bytes is not None
        assert ended.exit_rss_bytes < MIB
        assert ended.exit_peak_bytes == pytest.approx(64 * MIB, abs=MIB)

    def test_stop_is_excluded_from_the_time_and_the_switches(self, launcher: Launcher, compiled: Path) -> None:
        ended = execute(launcher, compiled / "holder", "64").ended
        assert ended.exit_stop_ns > 0
        assert ended.stops == 1
        assert ended.end_ns > ended.spawn_ns

    def test_end_of_a_program_is_not_announced_to_the_next(self, launcher: Launcher, compiled: Path) -> None:
        """Regression: the announcement was left over, and woke the launcher early in the next run.

        If it then lost the core, the whole run counted as the stop, and the end was before the runner's own stamps.
        """
        execute(launcher, compiled / "holder", "64")
        until(lambda: not has_pending(launcher.pid, signal.SIGCHLD), "a launcher without a pending SIGCHLD", 5)

    def test_child_of_the_program_is_noticed(self, launcher: Launcher, compiled: Path) -> None:
        """A shell receives a signal at the end of its child, and is then traced no further."""
        ended = execute(launcher, "/bin/sh", "-c", f"{compiled}/holder 8192; exit 4").ended
        assert ended.exit_code == 4
        assert ended.had_children
        assert ended.exit_peak_bytes is None
        assert "signal" in (ended.exit_reason or "")
        assert ended.max_rss_bytes > 8 * MIB

    def test_program_that_replaces_itself_is_traced_until_its_exit(self, launcher: Launcher, compiled: Path) -> None:
        ended = execute(launcher, "/bin/sh", "-c", f"exec {compiled}/holder 8192").ended
        assert ended.exit_code == 0
        assert ended.exit_rss_bytes is not None
        assert 8 * MIB <= ended.exit_rss_bytes < 10 * MIB


class TestUndisturbed:
    def test_exit_of_another_thread_ends_the_program(self, launcher: Launcher, compiled: Path) -> None:
        ended = execute(launcher, compiled / "threads").ended
        assert ended.exit_code == 5
        assert ended.exit_peak_bytes is not None

    def test_main_thread_may_end_first(self, launcher: Launcher, compiled: Path) -> None:
        """Its stop is not the end of the program, which uses its memory later."""
        ended = execute(launcher, compiled / "threads", "main-ends-first").ended
        assert ended.exit_code == 5
        assert ended.max_rss_bytes > 8 * MIB

    def test_exit_without_exit_group_keeps_its_code(self, launcher: Launcher, compiled: Path) -> None:
        ended = execute(launcher, compiled / "plain_exit").ended
        assert (ended.exit_code, ended.signal) == (3, None)

    @pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGTERM, signal.SIGKILL])
    def test_fatal_signal_ends_the_program(self, launcher: Launcher, number: signal.Signals) -> None:
        ended = execute(launcher, "/bin/sh", "-c", f"kill -{number} $$").ended
        assert (ended.exit_code, ended.signal) == (None, number)

    def test_caught_and_ignored_signals_work(self, launcher: Launcher) -> None:
        script = "trap 'echo caught' USR1; trap '' USR2; kill -USR2 $$; kill -USR1 $$; kill -USR1 $$; exit 6"
        launched = execute(launcher, "/bin/sh", "-c", script)
        assert (launched.ended.exit_code, launched.stdout) == (6, b"caught\ncaught\n")

    def test_stopped_program_stays_stopped_until_it_is_continued(self, launcher: Launcher, tmp_path: Path) -> None:
        script = f"echo $$ > {tmp_path}/new; mv {tmp_path}/new {tmp_path}/pid; kill -STOP $$; exit 8"

        def state() -> str:
            pid = (tmp_path / "pid").read_text().strip()
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]

        def proceed() -> None:
            until(lambda: state() == "T", "the program to be stopped")
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGCONT)

        with acting_once((tmp_path / "pid").exists, "the program's number", proceed):
            assert execute(launcher, "/bin/sh", "-c", script).ended.exit_code == 8

    def test_program_past_its_time_is_killed(self, launcher: Launcher) -> None:
        ended = execute(launcher, "/bin/sleep", "60", timeout_seconds=0.3).ended
        assert (ended.timed_out, ended.signal) == (True, signal.SIGKILL)

    def test_child_may_be_traced_by_the_program(self, launcher: Launcher, compiled: Path) -> None:
        """Only the program itself has a tracer already: a debugger can trace what it starts."""
        assert execute(launcher, "/bin/sh", "-c", f"{compiled}/tracer; exit $?").ended.exit_code == 0

    def test_exit_stop_can_be_turned_off(self, programs: Path, compiled: Path) -> None:
        with Launcher(programs / "ciphermark-launcher", exit_stop=False) as launcher:
            ended = execute(launcher, compiled / "tracer").ended
        assert ended.exit_code == 0
        assert ended.exit_peak_bytes is None


def _print_user_as_nobody(folder: Path) -> tuple[bytes, int | None, str | None]:
    os.setresuid(UNPRIVILEGED_UID, UNPRIVILEGED_UID, UNPRIVILEGED_UID)
    with Launcher(folder / "ciphermark-launcher") as launcher:
        launched = execute(launcher, folder / "id", "-u")
    return launched.stdout, launched.ended.exit_peak_bytes, launched.ended.exit_reason


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a program of another user")
def test_program_that_gains_rights_is_not_traced(programs: Path) -> None:
    """A traced process would not get them, unless root traces it."""
    with tempfile.TemporaryDirectory() as name, ProcessPoolExecutor(max_workers=1) as pool:
        folder = Path(name)
        folder.chmod(0o755)
        shutil.copy(programs / "ciphermark-launcher", folder)
        shutil.copy("/usr/bin/id", folder)
        (folder / "id").chmod(0o4755)
        printed, peak_bytes, reason = pool.submit(_print_user_as_nobody, folder).result()
    assert (printed, peak_bytes) == (b"0\n", None)
    assert reason is not None
    assert "gains rights" in reason
