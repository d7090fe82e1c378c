"""The cache's limit, on real folders."""

import os
from pathlib import Path

from orchestrator.daemon.builds.cache import BuildLedger, trim_cache
from orchestrator.wire.builds import Toolchain

SIZE_BYTES = 1000


def plant(cache: Path, name: str, used_at: float) -> None:
    """Make a build of 1000 bytes that was last used at a moment."""
    folder = cache / "builds" / name
    folder.mkdir(parents=True)
    (folder / "ciphermark-own").write_bytes(b"x" * (SIZE_BYTES - 2))
    report = folder / "build.json"
    report.write_text("{}")
    os.utime(report, (used_at, used_at))


def names(cache: Path) -> set[str]:
    return {path.name for path in (cache / "builds").iterdir()}


class TestTrimCache:
    def test_the_least_recently_used_go_until_the_rest_fits(self, tmp_path: Path) -> None:
        for used_at, name in enumerate("abcd"):
            plant(tmp_path, name, used_at)

        assert trim_cache(tmp_path, 2 * SIZE_BYTES, keep=set()) == ["a", "b"]
        assert names(tmp_path) == {"c", "d"}

    def test_a_cache_within_its_limit_is_left_alone(self, tmp_path: Path) -> None:
        plant(tmp_path, "a", 1)

        assert trim_cache(tmp_path, SIZE_BYTES, keep=set()) == []

    def test_kept_ones_stay_whatever_their_age(self, tmp_path: Path) -> None:
        for used_at, name in enumerate("abcd"):
            plant(tmp_path, name, used_at)

        assert trim_cache(tmp_path, 2 * SIZE_BYTES, keep={"a", "c"}) == ["b", "d"]

    def test_kept_ones_stay_even_where_they_alone_exceed_the_limit(self, tmp_path: Path) -> None:
        plant(tmp_path, "a", 1)
        plant(tmp_path, "b", 2)

        assert trim_cache(tmp_path, 1, keep={"a", "b"}) == []

    def test_a_build_that_is_just_being_installed_is_not_touched(self, tmp_path: Path) -> None:
        """Hidden folders once counted as builds: another process listing the cache removed them as damaged."""
        plant(tmp_path, ".incoming-1234", 1)
        plant(tmp_path, "b", 2)

        assert trim_cache(tmp_path, 1, keep=set()) == ["b"]
        assert names(tmp_path) == {".incoming-1234"}

    def test_an_empty_cache_is_fine(self, tmp_path: Path) -> None:
        assert trim_cache(tmp_path, 1, keep=set()) == []


class TestBuildLedger:
    def test_it_outlives_the_daemon(self, tmp_path: Path) -> None:
        toolchain = Toolchain(compiler="clang", optimization="O3")
        BuildLedger(tmp_path / "known.json").remember("aa", toolchain)

        ledger = BuildLedger(tmp_path / "known.json")
        assert ledger.toolchain_of("aa") == toolchain
        assert ledger.toolchain_of("bb") is None

    def test_the_oldest_notes_go(self, tmp_path: Path) -> None:
        ledger = BuildLedger(tmp_path / "known.json")
        for number in range(1001):
            ledger.remember(str(number), Toolchain())

        assert ledger.toolchain_of("0") is None
        assert ledger.toolchain_of("1000") == Toolchain()

    def test_a_damaged_one_is_empty(self, tmp_path: Path) -> None:
        (tmp_path / "known.json").write_text("{")

        assert BuildLedger(tmp_path / "known.json").toolchain_of("aa") is None
