"""Control groups of the kernel if this machine has them, otherwise folders with the same files."""

import errno
import os
import subprocess
from pathlib import Path

import pytest

from orchestrator.measurement.machine.cgroup_memory import (
    PREFIX,
    MemoryGroup,
    ParentGroup,
    PeakWatch,
    describe_error,
    find_place,
    peak_readings,
    remove_leftovers,
)
from orchestrator.measurement.machine.roots import Roots
from orchestrator.wire.metrics.phases import reading_refusal


def tree(folder: Path, own: str, files: dict[str, str]) -> Roots:
    """Write /proc/self/cgroup and these files below /sys/fs/cgroup, and return the roots."""
    (folder / "proc/self").mkdir(parents=True)
    (folder / "proc/self/cgroup").write_text(own)
    for name, content in files.items():
        path = folder / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return Roots(proc=folder / "proc", sys=folder / "sys")


class TestFindPlace:
    def test_v1_place_is_the_own_group(self, tmp_path: Path) -> None:
        roots = tree(tmp_path, "4:memory:/user/me\n0::/\n", {"memory/user/me/cgroup.procs": ""})

        assert find_place(roots) == ParentGroup(1, tmp_path / "sys/fs/cgroup/memory/user/me")

    def test_v2_place_is_the_parent_group_if_the_own_one_has_processes(self, tmp_path: Path) -> None:
        files = {
            "cgroup.controllers": "cpu memory\n",
            "app.slice/cgroup.subtree_control": "memory pids\n",
            "app.slice/daemon.service/cgroup.subtree_control": "\n",
        }

        found = find_place(tree(tmp_path, "0::/app.slice/daemon.service\n", files))

        assert found == ParentGroup(2, tmp_path / "sys/fs/cgroup/app.slice")

    @pytest.mark.parametrize(
        ("own", "files", "words"),
        [
            ("0::/a\n", {"cgroup.controllers": "cpu pids\n"}, "cgroup_enable=memory"),
            ("0::/a\n", {"cgroup.controllers": "memory\n", "a/cgroup.subtree_control": "\n"}, "Delegate=memory"),
            ("4:memory:/elsewhere\n", {"memory/tasks": ""}, "another part"),
            ("3:cpu:/\n", {}, "no memory controller"),
        ],
    )
    def test_missing_controller_is_reported_with_the_reason(
        self, tmp_path: Path, own: str, files: dict[str, str], words: str
    ) -> None:
        found = find_place(tree(tmp_path, own, files))

        assert isinstance(found, str)
        assert words in found

    def test_kernel_without_groups_is_reported(self, tmp_path: Path) -> None:
        assert "no control groups" in str(find_place(Roots(proc=tmp_path)))


class TestMemoryGroup:
    @pytest.mark.parametrize(
        ("version", "peak", "usage"),
        [(1, "memory.max_usage_in_bytes", "memory.usage_in_bytes"), (2, "memory.peak", "memory.current")],
    )
    def test_files_are_those_of_the_version_and_the_peak_can_be_reset(
        self, tmp_path: Path, version: int, peak: str, usage: str
    ) -> None:
        (tmp_path / usage).write_text("300000\n")
        (tmp_path / peak).write_text("900000\n")

        peak_file, usage_file = MemoryGroup(ParentGroup(version, tmp_path.parent), tmp_path).files

        assert os.pread(peak_file, 8, 0) == b"000000\n"
        assert os.pread(usage_file, 8, 0) == b"300000\n"

    def test_only_groups_of_ended_daemons_are_removed(self, tmp_path: Path) -> None:
        ended = subprocess.Popen(["true"])
        ended.wait()
        for name in (f"{PREFIX}{ended.pid}-1", f"{PREFIX}{os.getpid()}-7", "somebody-elses"):
            (tmp_path / name).mkdir()

        remove_leftovers(tmp_path)

        assert sorted(path.name for path in tmp_path.iterdir()) == [f"{PREFIX}{os.getpid()}-7", "somebody-elses"]


class TestPeakWatch:
    def test_group_that_cannot_be_created_only_costs_the_reading(self, tmp_path: Path) -> None:
        roots = tree(tmp_path, "4:memory:/\n", {"memory/cgroup.procs": ""})
        watch = PeakWatch(roots)

        assert watch.open() is None
        watch.admit(os.getpid())

        peak_bytes, reason = watch.peak(0)
        assert peak_bytes is None
        assert "memory.max_usage_in_bytes" in reason
        assert not list((tmp_path / "sys/fs/cgroup/memory").glob(f"{PREFIX}*"))
        watch.close()


class TestDescribeError:
    @pytest.mark.parametrize(
        "error",
        [
            OSError(errno.EINVAL, "Invalid argument"),  # written to a peak that has no reset
            PermissionError(errno.EACCES, "Permission denied", "/group/memory.peak"),  # opened for writing
            FileNotFoundError(errno.ENOENT, "No such file or directory", "/group/memory.peak"),  # before 5.19
        ],
    )
    def test_unresettable_peak_names_the_required_kernel(self, error: OSError) -> None:
        assert "requires Linux 6.12" in describe_error(error)


class TestPeakReadings:
    def test_disagreements_are_signed(self) -> None:
        readings, absent = peak_readings((700, ""), 1000, 1200)

        assert readings == {
            "cgroup_peak_bytes": 700,
            "cgroup_peak_disagreement_bytes": -300,
            "launcher_peak_disagreement_bytes": 200,
        }
        assert absent == {}
        assert [reading_refusal(name, value) for name, value in readings.items()] == [None] * 3

    def test_missing_values_are_null_with_reasons(self) -> None:
        readings, absent = peak_readings((None, "no groups"), None, 1200)

        assert set(readings.values()) == {None}
        assert absent["cgroup_peak_bytes"] == "no groups"
        assert "peak_rss_bytes" in absent["launcher_peak_disagreement_bytes"]
