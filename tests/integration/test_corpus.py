"""The whole corpus builder with the real ffmpeg, the real packages and real files."""

import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

import corpus
from corpus import ChunkEntry, chunk_store
from corpus.material import BuildStep
from corpus.packaged.packages import Packages
from orchestrator.shared.errors import InvalidRequest, SetupError
from orchestrator.shared.units import KIB, MIB
from tests.support.paths import REPOSITORY

PROSE = "Frisaba la edad de nuestro hidalgo con los cincuenta años; era de complexión recia. " * 3000


def content(folder: Path, entry: ChunkEntry) -> bytes:
    with chunk_store(folder).open_verified(entry.sha256) as file:
        return file.read()


def compressibility(data: bytes) -> float:
    return len(zlib.compress(data, 9)) / len(data)


def streams(data: bytes) -> list[dict[str, object]]:
    """Return what ffprobe finds in the chunk, with the number of frames that it could decode."""
    command = ["ffprobe", "-v", "quiet", "-count_frames", "-show_streams", "-of", "json", "-"]
    found = subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout
    return list(json.loads(found)["streams"])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[ChunkEntry]]:
    folder = tmp_path_factory.mktemp("built")
    return folder, corpus.build(folder, (1, 128 * KIB, 1 * MIB), download=False)


def of_kind(entries: Sequence[ChunkEntry], kind: str) -> dict[int, ChunkEntry]:
    return {entry.length_bytes: entry for entry in entries if entry.kind == kind}


class TestPackagedMaterial:
    def test_every_kind_and_size_is_built(self, built: tuple[Path, list[ChunkEntry]]) -> None:
        folder, entries = built
        assert [(entry.kind, entry.length_bytes) for entry in entries] == [
            (kind, size) for kind in corpus.KINDS for size in (1, 128 * KIB, 1 * MIB)
        ]
        for entry in entries:
            assert len(content(folder, entry)) == entry.length_bytes
            assert (entry.origin, entry.repeated) == ("generated", False)
            assert entry.license
            if entry.kind != "random":
                assert "downloads were not permitted" in entry.note

    @pytest.mark.parametrize("kind", ["random", "audio", "video"])
    def test_compressed_media_does_not_compress_again(self, built: tuple[Path, list[ChunkEntry]], kind: str) -> None:
        folder, entries = built
        chunks = of_kind(entries, kind)
        for size in (128 * KIB, 1 * MIB):
            assert compressibility(content(folder, chunks[size])) > 0.9

    @pytest.mark.parametrize("size", [128 * KIB, 1 * MIB])
    def test_audio_can_be_played(self, built: tuple[Path, list[ChunkEntry]], size: int) -> None:
        folder, entries = built
        (stream,) = streams(content(folder, of_kind(entries, "audio")[size]))
        assert (stream["codec_name"], stream["sample_rate"], stream["channels"]) == ("mp3", "22050", 1)
        # 64 kbit/s in frames of 576 samples: about 209 bytes a frame.
        assert int(str(stream["nb_read_frames"])) == pytest.approx(size / 209, rel=0.02)

    @pytest.mark.parametrize(("size", "frames"), [(128 * KIB, 3), (1 * MIB, 50)])
    def test_video_can_be_played(self, built: tuple[Path, list[ChunkEntry]], size: int, frames: int) -> None:
        folder, entries = built
        video, audio = streams(content(folder, of_kind(entries, "video")[size]))
        assert (video["codec_name"], video["width"], video["height"]) == ("h264", 720, 480)
        assert int(str(video["nb_read_frames"])) >= frames
        assert audio["codec_name"] == "mp3"

    def test_text_is_prose(self, built: tuple[Path, list[ChunkEntry]]) -> None:
        folder, entries = built
        text = content(folder, of_kind(entries, "text")[1 * MIB]).decode("utf-8")
        words = text.split()
        assert 4 < len(text) / len(words) < 8
        assert "In the beginning God created the heaven and the earth." in text
        assert not any(":" in word and word[0].isalpha() and word[-1].isdigit() for word in words)
        # Genuine prose is neither repeated nor random.
        assert 0.25 < compressibility(text.encode()) < 0.5

    def test_the_same_packages_make_the_same_bytes(self, built: tuple[Path, list[ChunkEntry]], tmp_path: Path) -> None:
        # Built alone, in another size and order, a chunk is what it was: results of two machines can be compared.
        _, entries = built
        for entry in corpus.build(tmp_path, [128 * KIB], ["video", "text", "audio"], download=False):
            assert entry.sha256 == of_kind(entries, entry.kind)[128 * KIB].sha256

    def test_text_longer_than_all_prose_is_repeated_and_marked(self, tmp_path: Path) -> None:
        whole, longer = corpus.build(tmp_path, [4 * MIB, 16 * MIB], ["text"], download=False)
        assert (whole.repeated, longer.repeated) == (False, True)
        data = content(tmp_path, longer)
        assert data.count(data[: 64 * KIB]) > 1


class TestSecondCall:
    def test_second_build_does_no_work(self, built: tuple[Path, list[ChunkEntry]]) -> None:
        folder, entries = built
        steps: list[BuildStep] = []
        before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
        assert corpus.build(folder, (1, 128 * KIB, 1 * MIB), download=False, progress=steps.append) == entries
        assert {step.step for step in steps} == {"waiting", "present"}
        assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before

    def test_only_the_damaged_chunk_is_made_again(self, tmp_path: Path) -> None:
        small, large = corpus.build(tmp_path, [1000, 2000], ["text"], download=False)
        path = chunk_store(tmp_path).path(small.sha256)
        path.write_bytes(bytes(1000))
        (problem,) = [found for found in corpus.verify_all(tmp_path) if found.problem]
        assert problem.entry == small
        assert small.sha256 in str(problem.problem)
        steps: list[BuildStep] = []
        remade, same = corpus.build(tmp_path, [1000, 2000], ["text"], download=False, progress=steps.append)
        assert (remade.sha256, same) == (small.sha256, large)
        assert [step.done_bytes for step in steps if step.step == "stored"] == [1000]
        assert all(found.problem is None for found in corpus.verify_all(tmp_path))

    def test_lost_random_chunk_is_replaced(self, tmp_path: Path) -> None:
        (lost,) = corpus.build(tmp_path, [1000], ["random"])
        chunk_store(tmp_path).remove(lost.sha256)
        (new,) = corpus.build(tmp_path, [1000], ["random"])
        assert new.sha256 != lost.sha256
        assert corpus.list_entries(tmp_path) == [new]

    def test_two_concurrent_builders_make_a_chunk_once(self, tmp_path: Path) -> None:
        script = (
            "import corpus, sys; from pathlib import Path\n"
            "corpus.build(Path(sys.argv[1]), [128 * 1024], ['random', 'text'], download=False,\n"
            "             progress=lambda step: print(step.step))"
        )
        command = [sys.executable, "-c", script, str(tmp_path)]
        environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
        builders = [subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) for _ in range(2)]
        printed = [builder.communicate()[0].split() for builder in builders]
        assert [builder.returncode for builder in builders] == [0, 0]
        assert sorted(steps.count(b"stored") for steps in printed) == [0, 2]
        assert len(corpus.list_entries(tmp_path)) == 2

    def test_files_of_a_killed_build_are_removed(self, tmp_path: Path) -> None:
        left = tmp_path / ".downloads-killed" / "film.mp4"
        left.parent.mkdir()
        left.write_bytes(b"half of it")
        corpus.build(tmp_path, [1000], ["random"])
        assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] != ".") == ["chunks", "manifest.json"]
        assert not left.parent.exists()


class TestLocalSources:
    def test_local_work_is_used_and_named(self, tmp_path: Path) -> None:
        sources = tmp_path / "sources"
        sources.mkdir()
        (sources / "quijote.txt").write_text(f"\ufeff{PROSE}", encoding="utf-8")
        small, large = corpus.build(tmp_path / "corpus", [1000, MIB], ["text"], local_sources=sources, download=False)
        assert content(tmp_path / "corpus", small) == PROSE.encode()[:1000]
        assert (small.origin, small.repeated, small.offset_bytes) == ("source", False, 3)
        assert "Cervantes" in small.title
        assert small.address == "https://www.gutenberg.org/ebooks/2000"
        assert large.repeated
        assert content(tmp_path / "corpus", large) == (PROSE.encode() * 5)[:MIB]

    def test_work_found_later_replaces_generated_text(self, tmp_path: Path) -> None:
        (generated,) = corpus.build(tmp_path / "corpus", [1000], ["text"], download=False)
        (tmp_path / "quijote.txt").write_text(PROSE, encoding="utf-8")
        (source,) = corpus.build(tmp_path / "corpus", [1000], ["text"], local_sources=tmp_path, download=False)
        assert (generated.origin, source.origin) == ("generated", "source")
        (same,) = corpus.build(tmp_path / "corpus", [1000], ["text"], local_sources=tmp_path, download=False)
        assert same == source

    def test_a_file_of_zeros_is_never_measured(self, tmp_path: Path) -> None:
        (tmp_path / "quijote.txt").write_bytes(bytes(5000))
        (entry,) = corpus.build(tmp_path / "corpus", [1000], ["text"], local_sources=tmp_path, download=False)
        assert entry.origin == "generated"
        assert "quijote.txt is not prose" in entry.note
        assert 0 not in content(tmp_path / "corpus", entry)


class TestMissingPackages:
    def test_error_names_all_missing_packages_and_other_kinds_are_built(self, tmp_path: Path) -> None:
        bare = Packages(usr=tmp_path / "usr", search_path=str(tmp_path / "usr/bin"))
        with pytest.raises(SetupError) as caught:
            corpus.build(tmp_path / "corpus", [1000], download=False, packages=bare)
        assert (
            "apt-get install -y --no-install-recommends asterisk-core-sounds-es-wav bible-kjv ffmpeg"
            in caught.value.remedy
        )
        assert "No material for audio and video" in caught.value.detail
        assert [entry.kind for entry in corpus.list_entries(tmp_path / "corpus")] == ["random"]

    def test_speech_is_synthesized_without_recordings(self, tmp_path: Path) -> None:
        (entry,) = corpus.build(
            tmp_path / "corpus", [256 * KIB], ["audio"], download=False, packages=Packages(usr=tmp_path)
        )
        assert "espeak-ng" in entry.title
        data = content(tmp_path / "corpus", entry)
        assert compressibility(data) > 0.9
        assert [stream["codec_name"] for stream in streams(data)] == ["mp3"]

    def test_error_contains_the_output_of_a_broken_ffmpeg(self, tmp_path: Path) -> None:
        programs = tmp_path / "bin"
        programs.mkdir()
        (programs / "ffmpeg").write_text("#!/bin/sh\necho 'Unknown encoder libx264' >&2\nexit 8\n")
        (programs / "ffmpeg").chmod(0o755)
        broken = Packages(search_path=f"{programs}:{os.environ['PATH']}")
        with pytest.raises(SetupError, match=r"exit code 8 .*Unknown encoder libx264"):
            corpus.build(tmp_path / "corpus", [1000], ["video"], download=False, packages=broken)


class TestAddUserChunk:
    def test_a_whole_file_is_preferred_to_built_ones(self, tmp_path: Path) -> None:
        file = tmp_path / "mine.bin"
        file.write_bytes(b"my own bytes" * 10)
        corpus.build(tmp_path / "corpus", [120], ["random"])
        (entry,) = corpus.add_user_chunk(tmp_path / "corpus", "random", file)
        assert (entry.origin, entry.length_bytes, entry.title) == ("user", 120, "mine.bin")
        assert corpus.build(tmp_path / "corpus", [120], ["random"]) == [entry]
        assert len(corpus.list_entries(tmp_path / "corpus")) == 2

    @pytest.mark.parametrize("name", ["absent.bin", "empty.bin", "folder"])
    def test_invalid_input_is_rejected(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "empty.bin").touch()
        (tmp_path / "folder").mkdir()
        with pytest.raises(InvalidRequest, match=name):
            corpus.add_user_chunk(tmp_path / "corpus", "video", tmp_path / name)
        assert not (tmp_path / "corpus").exists()

    def test_a_file_of_more_than_a_gibibyte_needs_sizes(self, tmp_path: Path) -> None:
        file = tmp_path / "large.mkv"
        with file.open("wb") as sparse:
            sparse.truncate(1024 * MIB + 1)
        with pytest.raises(InvalidRequest, match="at most 1 GiB"):
            corpus.add_user_chunk(tmp_path / "corpus", "video", file)


def test_full_disk_raises_setup_error(tmp_path: Path) -> None:
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-Urm", "true"], check=False).returncode != 0:
        pytest.skip("this machine does not permit mounting a small file system in a new namespace")
    script = "import corpus, sys; from pathlib import Path; corpus.build(Path(sys.argv[1]), [2**20], ['random'])"
    mount = 'mount -t tmpfs -o size=1m none "$1" && "$2" -c "$3" "$1"; ls -R "$1"'
    command = ["unshare", "-Urm", "sh", "-c", mount, "sh", str(tmp_path), sys.executable, script]
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    outcome = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert "SetupError: The disk of" in outcome.stderr
    assert "incoming" not in outcome.stdout
    assert "manifest.json" not in outcome.stdout
