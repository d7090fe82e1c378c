import gzip
import platform
from pathlib import Path

import pytest

from orchestrator.measurement.machine.cpu_time_split import SplitFacts, find_split, parse_split, read_split
from orchestrator.measurement.machine.roots import Roots

TICKS = "CONFIG_HZ=250\nCONFIG_TICK_CPU_ACCOUNTING=y\n# CONFIG_VIRT_CPU_ACCOUNTING_GEN is not set\n"
GENERIC = "# CONFIG_TICK_CPU_ACCOUNTING is not set\nCONFIG_VIRT_CPU_ACCOUNTING=y\nCONFIG_VIRT_CPU_ACCOUNTING_GEN=y\n"
NATIVE = "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE=y\n"


class TestParseSplit:
    @pytest.mark.parametrize(
        ("config", "full_cores", "core", "split"),
        [
            (TICKS, set(), 3, "sampled"),
            # What Debian and Raspberry Pi OS ship: precise only where the tick stops.
            (GENERIC, set(), 3, "sampled"),
            (GENERIC, {2, 3}, 3, "precise"),
            (GENERIC, {2, 3}, 0, "sampled"),
            (GENERIC, {2, 3}, None, "unknown"),
            (GENERIC, set(), None, "sampled"),
            (NATIVE, set(), None, "precise"),
            ("CONFIG_HZ=100\n", set(), 0, "unknown"),
            ("", set(), 0, "unknown"),
        ],
    )
    def test_configuration_determines_the_split(self, config: str, full_cores: set[int], core: int, split: str) -> None:
        assert parse_split(config, frozenset(full_cores), core) == split


class TestFindSplit:
    @pytest.fixture
    def roots(self, tmp_path: Path) -> Roots:
        roots = Roots(proc=tmp_path / "proc", sys=tmp_path / "sys")
        roots.proc.mkdir()
        roots.cpu.mkdir(parents=True)
        return roots

    def test_config_of_the_running_kernel_comes_first(self, roots: Roots, tmp_path: Path) -> None:
        (roots.proc / "config.gz").write_bytes(gzip.compress(GENERIC.encode()))
        (tmp_path / f"config-{platform.release()}").write_text(NATIVE)
        (roots.cpu / "nohz_full").write_text("2-3\n")

        assert find_split(3, roots, tmp_path).split == "precise"
        assert find_split(1, roots, tmp_path).split == "sampled"

    @pytest.mark.parametrize("nothing", ["(null)\n", "\n", " "])
    def test_every_notation_of_no_full_core_is_parsed(self, roots: Roots, tmp_path: Path, nothing: str) -> None:
        (tmp_path / f"config-{platform.release()}").write_text(GENERIC)
        (roots.cpu / "nohz_full").write_text(nothing)

        assert find_split(3, roots, tmp_path).split == "sampled"

    def test_missing_configuration_is_unknown_and_names_both_paths(self, roots: Roots, tmp_path: Path) -> None:
        facts = find_split(3, roots, tmp_path)

        assert facts.split == "unknown"
        assert str(roots.proc / "config.gz") in facts.reason
        assert f"config-{platform.release()}" in facts.reason

    def test_damaged_configuration_is_unknown(self, roots: Roots, tmp_path: Path) -> None:
        (roots.proc / "config.gz").write_bytes(b"\x1f\x8b not gzip at all")
        assert find_split(3, roots, tmp_path).split == "unknown"


class TestReadSplit:
    def test_short_execution_has_less_than_one_sample(self) -> None:
        seen, absent = read_split(3_000_000, SplitFacts("sampled", 4_000_000))

        assert seen == {"user_system_split_resolution_ns": 4_000_000, "cpu_split_ticks": 0.75}
        assert not absent

    def test_precise_kernel_has_null_ticks_with_a_reason(self) -> None:
        seen, absent = read_split(3_000_000, SplitFacts("precise", 4_000_000))

        assert seen == {"user_system_split_resolution_ns": 1000, "cpu_split_ticks": None}
        assert "does not sample" in absent["cpu_split_ticks"]
