"""Kills by the kernel for lack of memory, from a fake /proc/vmstat."""

from pathlib import Path

import pytest

from orchestrator.measurement.machine.evictions import MemoryKills
from orchestrator.measurement.machine.roots import Roots


def test_new_kills_are_counted_once(tmp_path: Path) -> None:
    vmstat = tmp_path / "vmstat"
    vmstat.write_text("nr_free_pages 7\noom_kill 3\nswap_ra 0\n")
    kills = MemoryKills(Roots(proc=tmp_path))
    assert kills.new() == 0
    vmstat.write_text("nr_free_pages 7\noom_kill 5\nswap_ra 0\n")
    assert [kills.new(), kills.new()] == [2, 0]


@pytest.mark.parametrize("text", ["", "nr_free_pages 7\n", "oom_kill many\n"])
def test_kernel_without_the_counter_shows_no_kills(tmp_path: Path, text: str) -> None:
    (tmp_path / "vmstat").write_text(text)
    assert MemoryKills(Roots(proc=tmp_path)).new() == 0
