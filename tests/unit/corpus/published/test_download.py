import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from corpus.kinds import Kind
from corpus.material import Material, MaterialMissing
from corpus.published import download as module
from corpus.published.download import downloaded_material
from corpus.published.sources import Download, Source

PROSE = b"Con estas razones perdia el pobre caballero el juicio, y desvelabase por entenderlas. " * 400
FRAMES = b"\xff\xfb" + bytes(range(256)) * 400


class Archive(BaseHTTPRequestHandler):
    """A small archive over HTTP: files by their path, and every request noted."""

    files: dict[str, bytes]
    requested: list[str]

    def do_GET(self) -> None:
        self.requested.append(self.path)
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
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def source(archive: ThreadingHTTPServer, **places: str) -> Source:
    address = f"http://127.0.0.1:{archive.server_port}"
    return Source(
        title="Work",
        author="Author",
        license="public domain",
        address=address,
        files=("*_64kb.mp3", "*.mp3"),
        download=Download.model_validate({name: address + path for name, path in places.items()}),
    )


def download(kind: Kind, work: Source, needed_bytes: int, folder: Path) -> tuple[Material, bytes]:
    material = downloaded_material(kind, work, needed_bytes, folder, lambda count: None)
    with material.open() as blocks:
        return material, b"".join(blocks)


class TestOneFile:
    def test_a_redirect_is_followed(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        Archive.files["/text/pg2000.txt"] = b"\xef\xbb\xbf" + PROSE
        material, content = download("text", source(archive, file="/moved"), 1000, tmp_path)
        assert content == PROSE
        assert (material.origin, material.offset_bytes) == ("source", 3)

    def test_no_more_is_taken_than_needed(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        allowance = module._HEAD_ALLOWANCE_BYTES
        Archive.files["/film.mkv"] = b"\x1a\x45\xdf\xa3" + bytes(4 * allowance)
        counts: list[int] = []
        downloaded_material("video", source(archive, file="/film.mkv"), 1000, tmp_path, counts.append)
        taken = (tmp_path / "film.mkv").stat().st_size
        assert 1000 + allowance <= taken == sum(counts) < 2 * allowance

    def test_a_page_instead_of_the_work_is_refused(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        Archive.files["/a.mp3"] = b"<html>Please log in to this network</html>"
        with pytest.raises(MaterialMissing, match="not compressed audio"):
            download("audio", source(archive, file="/a.mp3"), 1000, tmp_path)

    def test_absent_file_is_reported(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        with pytest.raises(MaterialMissing, match="404"):
            download("audio", source(archive, file="/a.mp3"), 1000, tmp_path)


class TestListing:
    PLACES = {"listing": "/metadata/item", "base": "/download/item/"}

    def test_the_preferred_files_are_joined(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        names = ["ch 2_64kb.mp3", "ch 1_64kb.mp3", "ch 1.mp3", "cover.jpg"]
        Archive.files["/metadata/item"] = json.dumps(
            {"files": [{"name": name, "size": "1"} for name in names]}
        ).encode()
        Archive.files["/download/item/ch%201_64kb.mp3"] = FRAMES + b"1"
        Archive.files["/download/item/ch%202_64kb.mp3"] = FRAMES + b"2"
        material, content = download("audio", source(archive, **self.PLACES), len(FRAMES), tmp_path)
        assert content == FRAMES + b"1" + FRAMES + b"2"
        assert material.note == "downloaded: ch 1_64kb.mp3, ch 2_64kb.mp3"

    @pytest.mark.parametrize(
        "listing", [b"", b"[]", b'{"files": 3}', b'{"files": []}', b'{"files": [{"name": "a.jpg"}]}']
    )
    def test_useless_listing_is_reported(self, archive: ThreadingHTTPServer, tmp_path: Path, listing: bytes) -> None:
        Archive.files["/metadata/item"] = listing
        with pytest.raises(MaterialMissing, match="the listing at"):
            download("audio", source(archive, **self.PLACES), 1000, tmp_path)


class TestUnreachable:
    def test_refused_connection_is_reported(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        work = source(archive, file="/a.mp3")
        archive.server_close()
        with pytest.raises(MaterialMissing, match="download failed"):
            download("audio", work, 1000, tmp_path)

    def test_invalid_address_is_reported(self, archive: ThreadingHTTPServer, tmp_path: Path) -> None:
        work = source(archive, file="/a.mp3").model_copy(update={"download": Download(file="ftp://x/a.mp3")})
        with pytest.raises(MaterialMissing, match="download failed"):
            download("audio", work, 1000, tmp_path)
