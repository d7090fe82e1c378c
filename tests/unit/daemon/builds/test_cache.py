"""The size limit of the build cache, with real folders."""

import os
from pathlib import Path

import pytest

from orchestrator.compilation import cache
from orchestrator.compilation.cache import BuildLedger, trim_cache
from orchestrator.wire.builds import Toolchain

SIZE_BYTES = 1000


def plant(cache: Path, name: str, used_at: float) -> None:
    """Create a build of 1000 bytes that was last used at a given moment."""
    folder = cache / "builds" / name
    folder.mkdir(parents=True)
    (folder / "ciphermark-own").write_bytes(b"x" * (SIZE_BYTES - 2))
    report = folder / "build.json"
    report.write_text("{}")
    os.utime(report, (used_at, used_at))


def names(cache: Path) -> set[str]:
    return {path.name for path in (cache / "builds").iterdir()}


class TestTrimCache:
    def test_least_recently_used_builds_are_removed_until_the_rest_fits(self, tmp_path: Path) -> None:
        for used_at, name in enumerate("abcd"):
            plant(tmp_path, name, used_at)

        assert trim_cache(tmp_path, 2 * SIZE_BYTES, keep=set()) == ["a", "b"]
        assert names(tmp_path) == {"c", "d"}

    def test_kept_builds_stay_independent_of_their_age(self, tmp_path: Path) -> None:
        for used_at, name in enumerate("abcd"):
            plant(tmp_path, name, used_at)

        assert trim_cache(tmp_path, 2 * SIZE_BYTES, keep={"a", "c"}) == ["b", "d"]

    def test_build_being_installed_is_not_removed(self, tmp_path: Path) -> None:
        """Regression: another process that listed the cache removed hidden folders as damaged builds."""
        plant(tmp_path, ".incoming-1234", 1)
        plant(tmp_path, "b", 2)

        assert trim_cache(tmp_path, 1, keep=set()) == ["b"]
        assert names(tmp_path) == {".incoming-1234"}


class TestBuildLedger:
    def test_ledger_survives_a_restart(self, tmp_path: Path) -> None:
        toolchain = Toolchain(compiler="clang", optimization="O3")
        BuildLedger(tmp_path / "known.json").remember("aa", toolchain)

        ledger = BuildLedger(tmp_path / "known.json")
        assert ledger.toolchain_of("aa") == toolchain
        assert ledger.toolchain_of("bb") is None

    def test_ledger_drops_its_oldest_entries(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cache, "_MAX_REMEMBERED", 3)
        ledger = BuildLedger(tmp_path / "known.json")
        for number in range(4):
            ledger.remember(str(number), Toolchain())

        assert [ledger.toolchain_of(str(number)) for number in range(4)] == [None, *[Toolchain()] * 3]

    def test_damaged_ledger_is_empty(self, tmp_path: Path) -> None:
        (tmp_path / "known.json").write_text("{")

        assert BuildLedger(tmp_path / "known.json").toolchain_of("aa") is None
