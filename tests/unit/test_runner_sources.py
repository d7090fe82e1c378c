import subprocess
from pathlib import Path

from orchestrator.compilation.runner_sources import pack, source_sha256
from orchestrator.shared.resources import shipped


def sources(folder: Path) -> Path:
    for name in ("CMakeLists.txt", "src/core/a.cpp", "include/ciphermark/a.h", "vectors/x.vec"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder


class TestSourceSha256:
    def test_place_and_time_do_not_count(self, tmp_path: Path) -> None:
        assert source_sha256(sources(tmp_path / "one")) == source_sha256(sources(tmp_path / "two"))

    def test_a_changed_byte_or_name_counts(self, tmp_path: Path) -> None:
        folder = sources(tmp_path)
        before = source_sha256(folder)
        (folder / "src/core/a.cpp").write_text("other")
        changed = source_sha256(folder)
        (folder / "src/core/a.cpp").rename(folder / "src/core/b.cpp")
        assert len({before, changed, source_sha256(folder)}) == 3

    def test_tests_build_folders_and_hidden_files_do_not_count(self, tmp_path: Path) -> None:
        folder = sources(tmp_path)
        before = source_sha256(folder)
        for name in ("tests/t.cpp", "build/x.o", "src/.cache"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text("x")
        assert source_sha256(folder) == before


class TestPack:
    def test_the_same_sources_give_the_same_archive(self, tmp_path: Path) -> None:
        assert pack(sources(tmp_path / "one")).data == pack(sources(tmp_path / "two")).data

    def test_the_unpacked_archive_of_our_own_runners_has_its_name(self, tmp_path: Path) -> None:
        archive = pack(shipped("runners"))
        # The program that a person would use; Python's own names its safety differently from version to version.
        subprocess.run(["tar", "-xzf", "-", "-C", tmp_path], input=archive.data, check=True)
        assert (tmp_path / "runners" / "CMakeLists.txt").is_file()
        assert source_sha256(tmp_path / "runners") == archive.source_sha256
