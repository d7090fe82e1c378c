"""Tuning of a tree of kernel files; errors come from the real kernel, through links to files in /proc/self."""

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.daemon.tune.record import TUNING_FILE, load_record
from orchestrator.daemon.tune.tuning import SettingOutcome, Untuned, tune, untune, whole_command
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import PreflightContext
from orchestrator.shared.errors import SetupError
from tests.support.kernel_tree import without_rights
from tests.support.paths import REPOSITORY
from tests.support.preflight_tree import context, plant

CPU = "sys/devices/system/cpu"
GOVERNOR = f"{CPU}/cpu3/cpufreq/scaling_governor"
TURBO = f"{CPU}/intel_pstate/no_turbo"
SIBLING = f"{CPU}/cpu1/online"
LINE = "proc/irq/24/smp_affinity_list"
PARANOID = "proc/sys/kernel/perf_event_paranoid"
HUGE_PAGES = "sys/kernel/mm/transparent_hugepage/enabled"
BOOT = "proc/sys/kernel/random/boot_id"
UNTUNED = {GOVERNOR: "schedutil", TURBO: "0", SIBLING: "1", LINE: "0-3", PARANOID: "3", HUGE_PAGES: "always"}
TUNED = {GOVERNOR: "performance", TURBO: "1", SIBLING: "0", LINE: "0-2", PARANOID: "2", HUGE_PAGES: "madvise"}
FACTS = {f"{CPU}/online": "0-3", f"{CPU}/cpu3/topology/thread_siblings_list": "1,3", BOOT: "first-boot"}


class Machine:
    """A tree that is tuned and restored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.data.mkdir()
        self.roots: Roots = plant(folder, UNTUNED | FACTS)
        self.context: PreflightContext = context(self.data)
        self.reported: list[SettingOutcome] = []

    def tune(self, **options: bool) -> dict[str, str]:
        return self.names(tune(self.roots, self.context, self.reported.append, **options))

    def untune(self, **options: bool) -> Untuned:
        return untune(self.roots, self.data, self.reported.append, **options)

    def names(self, outcomes: object) -> dict[str, str]:
        assert isinstance(outcomes, list)
        return {str(one.path.relative_to(self.folder)): one.outcome for one in outcomes}

    def write(self, file: str, value: str) -> None:
        (self.folder / file).write_text(value)

    def link(self, file: str, target: str) -> None:
        (self.folder / file).unlink()
        (self.folder / file).symlink_to(target)

    @property
    def values(self) -> dict[str, str]:
        return {file: (self.folder / file).read_text() for file in UNTUNED}

    @property
    def record_file(self) -> Path:
        return self.data / TUNING_FILE


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


class TestTune:
    def test_tune_sets_everything_and_untune_restores_it(self, machine: Machine) -> None:
        assert set(machine.tune().values()) == {"changed"}
        assert machine.values == TUNED

        restored = machine.untune()

        assert {one.outcome for one in restored.outcomes} == {"restored"}
        assert machine.values == UNTUNED
        assert list(machine.data.iterdir()) == []

    def test_sibling_core_is_changed_last_and_restored_first(self, machine: Machine) -> None:
        machine.tune()
        machine.untune()
        order = [str(one.path.relative_to(machine.folder)) for one in machine.reported]
        assert (order[len(UNTUNED) - 1], order[len(UNTUNED)]) == (SIBLING, SIBLING)

    def test_settings_with_their_target_value_are_not_recorded(self, machine: Machine) -> None:
        machine.write(GOVERNOR, "performance")
        assert machine.tune()[GOVERNOR] == "already set"
        record = load_record(machine.data)
        assert record is not None
        assert {one.file for one in record.settings} == set(UNTUNED) - {GOVERNOR}

    def test_dry_run_reports_and_writes_nothing(self, machine: Machine) -> None:
        assert set(machine.tune(dry_run=True).values()) == {"would change"}
        assert machine.values == UNTUNED
        assert list(machine.data.iterdir()) == []

    def test_second_tune_keeps_the_original_values(self, machine: Machine) -> None:
        machine.tune()
        machine.write(GOVERNOR, "powersave")
        assert machine.tune()[GOVERNOR] == "changed"
        machine.untune()
        assert machine.values == UNTUNED

    def test_tune_for_another_core_keeps_the_original_values(self, machine: Machine) -> None:
        machine.tune()
        machine.context = context(machine.data, measured_core=2)
        machine.tune()
        assert machine.values[LINE] == "0-1"  # core 3 was removed by the first tuning, core 2 by the second
        machine.untune()
        assert machine.values == UNTUNED


class TestWithoutRights:
    @pytest.fixture
    def machine(self) -> Iterator[Machine]:
        """A machine that any user may tune; pytest's own folders are private."""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o755)
            machine = Machine(Path(folder))
            machine.data.chmod(0o777)
            for file in UNTUNED:
                (machine.folder / file).chmod(0o666)
            yield machine

    def test_user_with_write_permission_can_tune(self, machine: Machine) -> None:
        with without_rights():
            machine.tune()
        assert machine.values == TUNED

    def test_one_read_only_file_prevents_all_changes(self, machine: Machine) -> None:
        (machine.folder / PARANOID).chmod(0o444)

        with without_rights(), pytest.raises(SetupError, match=r"Nothing was changed.*perf_event_paranoid") as raised:
            machine.tune()

        assert "daemon tune" in raised.value.remedy
        assert f"CIPHERMARK_DATA_FOLDER={machine.data}" in raised.value.remedy
        assert machine.values == UNTUNED
        assert list(machine.data.iterdir()) == []

    def test_one_read_only_file_prevents_all_restores(self, machine: Machine) -> None:
        machine.tune()
        (machine.folder / TURBO).chmod(0o444)

        with without_rights(), pytest.raises(SetupError, match="no_turbo") as raised:
            machine.untune()

        assert raised.value.remedy.endswith("daemon untune")
        assert machine.values == TUNED
        assert machine.record_file.exists()

    def test_remedy_is_the_complete_command(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "argv", ["/opt/my venv/bin/ciphermark", "daemon", "tune"])
        monkeypatch.setenv("CIPHERMARK_MEASURED_CORE", "2")
        assert whole_command(Path("/data"), "tune") == (
            "sudo env CIPHERMARK_DATA_FOLDER=/data CIPHERMARK_MEASURED_CORE=2 '/opt/my venv/bin/ciphermark' daemon tune"
        )


class TestRefusals:
    def test_value_refused_by_the_kernel_is_reported_and_others_are_set(self, machine: Machine) -> None:
        """oom_score_adj accepts only numbers: the kernel rejects 'performance' with EINVAL."""
        machine.link(GOVERNOR, "/proc/self/oom_score_adj")

        outcomes = {one.path: one for one in tune(machine.roots, machine.context)}

        refused = outcomes[machine.folder / GOVERNOR]
        assert (refused.outcome, refused.detail, refused.failed) == (
            "refused",
            "cannot be written: Invalid argument",
            True,
        )
        assert {file for file, value in machine.values.items() if value == TUNED[file]} == set(UNTUNED) - {GOVERNOR}
        assert {one.outcome for one in machine.untune().outcomes} == {"restored", "as before"}

    def test_value_changed_by_the_kernel_is_reported(self, machine: Machine) -> None:
        """/proc/self/comm keeps the first 15 characters."""
        comm = Path("/proc/self/comm").read_text().strip()
        others = ",".join(str(core) for core in range(0, 24, 2))
        machine.write(f"{CPU}/online", f"{others},3")
        machine.link(LINE, "/proc/self/comm")
        Path("/proc/self/comm").write_text("3")
        try:
            assert machine.tune()[LINE] == "kept by the kernel"
        finally:
            Path("/proc/self/comm").write_text(comm)

    def test_value_that_cannot_be_restored_is_not_changed(self, machine: Machine) -> None:
        machine.write(GOVERNOR, "two words")
        assert machine.tune()[GOVERNOR] == "refused"
        assert machine.values[GOVERNOR] == "two words"


CRASHING = """
import os, signal, sys
from pathlib import Path
from orchestrator.daemon.tune.tuning import tune, untune
from orchestrator.measurement.machine.roots import Roots
from tests.support.preflight_tree import context

folder, verb, changes = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

def report(_outcome):
    global changes
    changes -= 1
    if changes == 0:
        os.kill(os.getpid(), signal.SIGKILL)

roots = Roots(proc=folder / "proc", sys=folder / "sys")
if verb == "tune":
    tune(roots, context(folder / "data"), report)
else:
    untune(roots, folder / "data", report)
"""


class TestCrashes:
    def test_untune_restores_the_changes_of_a_killed_tune(self, machine: Machine) -> None:
        self.crash(machine, "tune", 3)
        assert sum(machine.values[file] == TUNED[file] for file in UNTUNED) == 3

        outcomes = [one.outcome for one in machine.untune().outcomes]

        assert (outcomes.count("restored"), outcomes.count("as before")) == (3, len(UNTUNED) - 3)
        assert machine.values == UNTUNED

    def test_next_untune_finishes_a_killed_one(self, machine: Machine) -> None:
        machine.tune()
        self.crash(machine, "untune", 2)
        assert machine.values not in (TUNED, UNTUNED)
        machine.untune()
        assert machine.values == UNTUNED
        assert not machine.record_file.exists()

    def test_tune_after_a_crash_keeps_the_original_values(self, machine: Machine) -> None:
        self.crash(machine, "tune", 2)
        machine.tune()
        assert machine.values == TUNED
        machine.untune()
        assert machine.values == UNTUNED

    def test_partially_written_record_is_replaced(self, machine: Machine) -> None:
        (machine.data / f"{TUNING_FILE}.incoming").write_text('{"version":')
        machine.tune()
        assert load_record(machine.data) is not None

    @staticmethod
    def crash(machine: Machine, verb: str, changes: int) -> None:
        command = [sys.executable, "-c", CRASHING, str(machine.folder), verb, str(changes)]
        ended = subprocess.run(command, cwd=REPOSITORY, check=False)
        assert ended.returncode == -signal.SIGKILL


class TestUntune:
    def test_value_of_another_process_is_kept_unless_forced(self, machine: Machine) -> None:
        machine.tune()
        machine.write(GOVERNOR, "powersave")

        outcomes = {one.path: one for one in machine.untune().outcomes}

        assert outcomes[machine.folder / GOVERNOR].outcome == "left alone"
        assert machine.values == UNTUNED | {GOVERNOR: "powersave"}
        assert [one.file for one in (load_record(machine.data) or pytest.fail("no record")).settings] == [GOVERNOR]
        assert [one.outcome for one in machine.untune(force=True).outcomes] == ["restored"]
        assert machine.values == UNTUNED
        assert not machine.record_file.exists()

    def test_untune_after_a_reboot_only_removes_the_record(self, machine: Machine) -> None:
        machine.tune()
        machine.write(BOOT, "second-boot")

        untuned = machine.untune()

        assert "restarted" in untuned.remark
        assert machine.values == TUNED
        assert not machine.record_file.exists()

    def test_record_of_another_boot_is_not_used(self, machine: Machine) -> None:
        machine.tune()
        machine.write(BOOT, "second-boot")
        for file, value in UNTUNED.items():
            machine.write(file, value)
        machine.write(GOVERNOR, "ondemand")
        machine.tune()
        machine.untune()
        assert machine.values == UNTUNED | {GOVERNOR: "ondemand"}

    def test_missing_file_is_reported_and_stays_recorded(self, machine: Machine) -> None:
        machine.tune()
        (machine.folder / GOVERNOR).unlink()
        assert "gone" in {one.outcome for one in machine.untune().outcomes}
        assert machine.record_file.exists()

    def test_untune_without_a_record_explains_why(self, machine: Machine) -> None:
        assert "Nothing is tuned" in machine.untune().remark
        assert "no folder" in untune(machine.roots, machine.folder / "none").remark

    @pytest.mark.parametrize("file", ["sys/../../etc/passwd", "etc/passwd", "proc/sysrq-trigger", "proc/irq/1/x"])
    def test_record_with_unexpected_files_is_rejected(self, machine: Machine, file: str) -> None:
        """Root executes untune, and the folder may belong to another user."""
        machine.tune()
        record = json.loads(machine.record_file.read_text())
        record["settings"].append({"file": file, "was": "0", "set_to": ["1"]})
        machine.record_file.write_text(json.dumps(record))

        with pytest.raises(SetupError, match="never writes"):
            machine.untune()
        assert machine.values == TUNED

    def test_damaged_record_is_rejected(self, machine: Machine) -> None:
        machine.record_file.write_text("{")
        with pytest.raises(SetupError, match="damaged"):
            machine.untune()
