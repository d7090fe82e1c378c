import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from corpus.kinds import Kind
from corpus.material import Material, MaterialMissing
from corpus.published.download import downloaded_material
from corpus.published.sources import Download, PinnedFile, Source
from orchestrator.shared.units import MIB
from scripts.pin_corpus import pinned_files

PROSE = b"Con estas razones perdia el pobre caballero el juicio, y desvelabase por entenderlas. " * 400
FRAMES = b"\xff\xfb" + bytes(range(256)) * 400


class Archive(BaseHTTPRequestHandler):
    """A small archive over HTTP: files by their path, and every request noted."""

    files: dict[str, bytes]
    requested: list[str]
    elsewhere: str

    def do_GET(self) -> None:
        self.requested.append(self.path)
        if self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", self.elsewhere)
            self.end_headers()
            return
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/text/pg2000.txt")
            self.end_headers()
            return
        content = self.files.get(self.path)
        self.send_response(404 if content is None else 200)
        self.end_headers()
        try:
            self.wfile.write(content or b"not here")
        except OSError:
            self.requested.append("left early")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the signature of http.server)
        pass


@pytest.fixture
def archive() -> Iterator[ThreadingHTTPServer]:
    Archive.files, Archive.requested = {}, []
    with ThreadingHTTPServer(("127.0.0.1", 0), Archive) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def pin(archive: ThreadingHTTPServer, path: str, content: bytes) -> PinnedFile:
    address = f"http://127.0.0.1:{archive.server_port}{path}"
    return PinnedFile(address=address, length_bytes=len(content), sha256=hashlib.sha256(content).hexdigest())


def source(archive: ThreadingHTTPServer, *pinned: PinnedFile) -> Source:
    address = f"http://127.0.0.1:{archive.server_port}"
    return Source(
        title="Work",
        author="Author",
        license="public domain",
        address=address,
        files=("*_64kb.mp3", "*.mp3"),
        download=Download(file=f"{address}/work", pinned=pinned),
    )


def download(kind: Kind, work: Source, needed_bytes: int, folder: Path) -> tuple[Material, bytes]:
    material = downloaded_material(kind, work, needed_bytes, folder, lambda count: None)
    with material.open() as blocks:
        return material, b"".join(blocks)


class TestContent:
    def test_recorded_content_is_accepted_after_a_redirect(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        content = b"\xef\xbb\xbf" + PROSE
        Archive.files["/text/pg2000.txt"] = content
        material, payload = download("text", source(archive, pin(archive, "/moved", content)), 1000, tmp_path)
        assert payload == PROSE
        assert (material.origin, material.offset_bytes) == ("source", 3)

    @pytest.mark.parametrize(
        "content", [b"another content", PROSE.upper(), PROSE[:-1], b"", b"<html>Please log in to this network</html>"]
    )
    def test_other_content_is_refused_and_not_kept(
        self, archive: ThreadingHTTPServer, tmp_path: Path, content: bytes
    ) -> None:
        Archive.files["/text/pg2000.txt"] = content
        with pytest.raises(MaterialMissing, match=r"is not the recorded file: .* expected 34400 bytes with"):
            download("text", source(archive, pin(archive, "/text/pg2000.txt", PROSE)), 1000, tmp_path)
        assert list(tmp_path.iterdir()) == []

    def test_work_without_a_recorded_hash_is_not_requested(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        with pytest.raises(MaterialMissing, match="no SHA-256 is recorded for a download of Work"):
            download("text", source(archive), 1000, tmp_path)
        assert Archive.requested == []

    def test_no_more_is_taken_than_recorded(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        film = b"\x1a\x45\xdf\xa3" + bytes(4 * MIB)
        Archive.files["/film.mkv"] = film + bytes(20 * MIB)
        counts: list[int] = []
        work = source(archive, pin(archive, "/film.mkv", film))
        downloaded_material("video", work, 1000, tmp_path, counts.append)
        assert (tmp_path / "film.mkv").stat().st_size == sum(counts) == len(film)

    def test_files_are_joined_in_their_order_until_there_is_enough(
        self, archive: ThreadingHTTPServer, tmp_path: Path
    ) -> None:
        parts = [FRAMES + bytes([number]) * (9 * MIB) for number in range(3)]
        names = [f"/download/ch%20{number}_64kb.mp3" for number in range(3)]
        Archive.files |= dict(zip(names, parts, strict=True))
        pinned = [pin(archive, name, part) for name, part in zip(names, parts, strict=True)]
        material, content = download("audio", source(archive, *pinned), len(FRAMES), tmp_path)
        assert content == parts[0] + parts[1]
        assert material.note == "downloaded: ch 0_64kb.mp3, ch 1_64kb.mp3"

    def test_recorded_page_instead_of_the_work_is_refused(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        page = b"<html>Please log in to this network</html>"
        Archive.files["/a.mp3"] = page
        with pytest.raises(MaterialMissing, match="not compressed audio"):
            download("audio", source(archive, pin(archive, "/a.mp3", page)), 1000, tmp_path)


class TestChannel:
    def test_redirect_without_encryption_is_not_followed(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        # A host that no resolver knows: the refusal comes before any connection.
        Archive.elsewhere = "http://mirror.invalid/pg2000.txt"
        with pytest.raises(MaterialMissing, match=r"leads to http://mirror\.invalid, which is not encrypted"):
            download("text", source(archive, pin(archive, "/elsewhere", PROSE)), 1000, tmp_path)

    def test_address_without_encryption_is_refused(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        pinned = pin(archive, "/x", PROSE).model_copy(update={"address": "http://mirror.invalid/pg2000.txt"})
        with pytest.raises(MaterialMissing, match="not encrypted"):
            download("text", source(archive, pinned), 1000, tmp_path)

    def test_refused_connection_is_reported(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        work = source(archive, pin(archive, "/a.mp3", FRAMES))
        archive.server_close()
        with pytest.raises(MaterialMissing, match="download failed"):
            download("audio", work, 1000, tmp_path)


class TestPinning:
    """scripts/pin_corpus.py, whose result a download accepts."""

    def test_listed_files_that_match_are_pinned_in_their_order(
        self, archive: ThreadingHTTPServer, tmp_path: Path
    ) -> None:
        names = ["ch 2_64kb.mp3", "ch 1_64kb.mp3", "ch 1.mp3", "cover.jpg"]
        Archive.files["/metadata/item"] = json.dumps({"files": [{"name": name} for name in names]}).encode()
        Archive.files["/item/ch%201_64kb.mp3"] = FRAMES + b"1"
        Archive.files["/item/ch%202_64kb.mp3"] = FRAMES + b"2" * 100
        address = f"http://127.0.0.1:{archive.server_port}"
        places = Download(listing=f"{address}/metadata/item", base=f"{address}/item/")
        work = source(archive).model_copy(update={"download": places})
        pinned = pinned_files(work, len(FRAMES) + 1 + 50)
        assert [one.length_bytes for one in pinned] == [len(FRAMES) + 1, 50]
        _, content = download("audio", source(archive, *pinned), 10 * MIB, tmp_path)
        assert content == (FRAMES + b"1" + FRAMES)[: len(FRAMES) + 1 + 50]
