import struct
from pathlib import Path

import pytest

from corpus.kinds import Kind
from corpus.material import MaterialMissing
from corpus.published.payload import payload_of

PROSE = "En un lugar de la Mancha, de cuyo nombre no quiero acordarme, no ha mucho tiempo que vivía un hidalgo. " * 50


def taken(kind: Kind, path: Path) -> bytes:
    payload = payload_of(kind, path)
    return path.read_bytes()[payload.start_bytes : payload.end_bytes]


def box(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I4s", len(content) + 8, name) + content


class TestText:
    def test_license_and_byte_order_mark_are_left_out(self, tmp_path: Path) -> None:
        path = tmp_path / "pg2000.txt"
        path.write_text(
            "\ufeffThe Project Gutenberg eBook\n*** START OF THE PROJECT GUTENBERG EBOOK DON QUIJOTE ***\n\n\n"
            f"{PROSE}\n*** END OF THE PROJECT GUTENBERG EBOOK DON QUIJOTE ***\nlicense",
            encoding="utf-8",
        )
        assert taken("text", path).decode() == f"{PROSE}\n"

    def test_a_character_cut_by_the_sample_is_no_error(self, tmp_path: Path) -> None:
        path = tmp_path / "a.txt"
        content = ("x" + "ñandú ya " * 20_000).encode()
        for shift in range(12):
            path.write_bytes(b"a" * shift + content)
            assert payload_of("text", path).end_bytes == len(content) + shift

    @pytest.mark.parametrize(
        ("content", "seen"),
        [
            (b"", "contains no text"),
            (bytes(5000), "0 are letters"),
            (bytes(range(128, 256)) * 40, "not UTF-8"),
            (PROSE.encode("latin-1"), "not UTF-8"),
            (b"QUJDREVGR0hJSktMTU5P" * 200, "0 are space"),
            (b"1234 5678 90\n" * 400, "0 are letters"),
        ],
    )
    def test_other_text_than_prose_is_rejected(self, tmp_path: Path, content: bytes, seen: str) -> None:
        path = tmp_path / "quijote.txt"
        path.write_bytes(content)
        with pytest.raises(MaterialMissing, match=seen):
            payload_of("text", path)


class TestMedia:
    def test_the_tag_of_an_mp3_is_left_out(self, tmp_path: Path) -> None:
        tag = bytes(300)
        path = tmp_path / "a.mp3"
        # 300 bytes as four times seven bits: 0, 0, 2, 44.
        path.write_bytes(b"ID3\x04\x00\x00\x00\x00\x02\x2c" + tag + b"\xff\xfbframes")
        assert taken("audio", path) == b"\xff\xfbframes"

    def test_a_length_of_64_bits_is_understood(self, tmp_path: Path) -> None:
        path = tmp_path / "a.mp4"
        large = struct.pack(">I4sQ", 1, b"mdat", 16 + 6) + b"frames"
        path.write_bytes(box(b"ftyp", b"isom") + large)
        assert taken("video", path) == b"frames"

    @pytest.mark.parametrize(
        "content",
        [
            box(b"ftyp", b"isom"),
            box(b"ftyp", b"isom") + box(b"moov", b""),
            box(b"ftyp", b"isom") + bytes(64),
            box(b"ftyp", b"isom") + struct.pack(">I4s", 7, b"free"),
        ],
    )
    def test_an_mp4_without_media_is_refused(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "a.mp4"
        path.write_bytes(content)
        with pytest.raises(MaterialMissing, match="no media data"):
            payload_of("video", path)

    @pytest.mark.parametrize("kind", ["audio", "video"])
    @pytest.mark.parametrize("content", [b"", bytes(100), b"<!DOCTYPE html>", b"RIFF\x00\x00\x00\x00WAVEfmt "])
    def test_other_files_than_compressed_media_are_rejected(self, tmp_path: Path, kind: Kind, content: bytes) -> None:
        path = tmp_path / "a.mp3"
        path.write_bytes(content)
        with pytest.raises(MaterialMissing, match=f"not compressed {kind}"):
            payload_of(kind, path)

    def test_a_tag_without_frames_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "a.mp3"
        path.write_bytes(b"ID3\x04\x00\x00\x00\x00\x02\x2c" + bytes(300))
        with pytest.raises(MaterialMissing, match="contains no audio"):
            payload_of("audio", path)
