"""The payload of a file: the range of bytes that is material, after a check of its format.

A media file may start with megabytes that are not media: an MP3 with a picture in its ID3 tag, an MP4 with the index of
its frames. A text of Project Gutenberg starts and ends with a license. Chunks contain only the bytes between.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from corpus.kinds import Kind
from corpus.material import MaterialMissing

_TEXT_HEAD_BYTES = 64 * 1024
_GUTENBERG_START = re.compile(rb"^\*\*\* ?START OF [^\n]*\n\s*", re.MULTILINE)
_GUTENBERG_END = re.compile(rb"^\*\*\* ?END OF ", re.MULTILINE)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# In European prose 75 to 85 % of the characters are letters and 15 to 20 % are white space. Tables and code have
# fewer letters, encodings of bytes (base64) hardly any space.
_MIN_LETTERS = 0.6
_MIN_SPACE = 0.05


@dataclass(frozen=True)
class Payload:
    """The part of a file that is material: the bytes from `start_bytes` up to `end_bytes`."""

    path: Path
    start_bytes: int
    end_bytes: int


def payload_of(kind: Kind, path: Path) -> Payload:
    """Return the part of the file that is material of the kind.

    Raises MaterialMissing with the content found if the file is empty or contains something else.
    """
    size_bytes = path.stat().st_size
    with path.open("rb") as file:
        if kind == "text":
            start, end = _text_span(file, size_bytes)
        else:
            start, end = _media_start(file, kind), size_bytes
    if start >= end:
        raise MaterialMissing(f"{path.name} ({size_bytes} bytes) contains no {kind}")
    return Payload(path, start, end)


def _text_span(file: BinaryIO, size_bytes: int) -> tuple[int, int]:
    content = file.read()
    start = len(_BYTE_ORDER_MARK) if content.startswith(_BYTE_ORDER_MARK) else 0
    if marker := _GUTENBERG_START.search(content, 0, _TEXT_HEAD_BYTES):
        start = marker.end()
    marker = _GUTENBERG_END.search(content, start)
    end = marker.start() if marker else size_bytes
    _check_prose(Path(file.name).name, content[start:end][:_TEXT_HEAD_BYTES])
    return start, end


def _check_prose(name: str, head: bytes) -> None:
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        # The sample may end inside a character; an error before its last bytes is an error of the file.
        if error.start < len(head) - 4:
            raise MaterialMissing(f"{name} is not UTF-8 text (byte {error.start})") from None
        text = head[: error.start].decode("utf-8")
    letters = sum(character.isalpha() for character in text)
    spaces = sum(character.isspace() for character in text)
    if letters < _MIN_LETTERS * len(text) or spaces < _MIN_SPACE * len(text):
        raise MaterialMissing(
            f"{name} is not prose: of its first {len(text)} characters {letters} are letters, {spaces} are space"
        )


def _id3_end(file: BinaryIO) -> int:
    """Return the end of the ID3v2 tag, whose length is in four bytes of seven bits (id3.org, section 3.1)."""
    file.seek(0)
    head = file.read(10)
    length = 0
    for byte in head[6:10]:
        length = length << 7 | byte & 0x7F
    return 10 + length


def _media_data_start(file: BinaryIO) -> int:
    """Return the start of an MP4 file's media: after the head of its first `mdat` box (ISO/IEC 14496-12, 4.2)."""
    position = 0
    while True:
        file.seek(position)
        head = file.read(16)
        length = int.from_bytes(head[:4])
        head_bytes = 8
        if length == 1:
            length, head_bytes = int.from_bytes(head[8:16]), 16
        if head[4:8] == b"mdat":
            return position + head_bytes
        if length < head_bytes:
            raise MaterialMissing(f"{Path(file.name).name} has no media data (`mdat`) before byte {position}")
        position += length


def _file_start(file: BinaryIO) -> int:
    return 0


# Compressed formats: offset and bytes of their magic number, and the function that returns the start of the media.
_Format = tuple[int, bytes, Callable[[BinaryIO], int]]
_AUDIO: tuple[_Format, ...] = (
    (0, b"ID3", _id3_end),
    (0, b"\xff\xfb", _file_start),  # MPEG-1 layer III, without and with a checksum
    (0, b"\xff\xfa", _file_start),
    (0, b"\xff\xf3", _file_start),  # MPEG-2 layer III
    (0, b"\xff\xf2", _file_start),
    (0, b"\xff\xe3", _file_start),  # MPEG-2.5 layer III
    (0, b"\xff\xe2", _file_start),
    (0, b"OggS", _file_start),
    (0, b"fLaC", _file_start),
    (4, b"ftyp", _media_data_start),
)
_VIDEO: tuple[_Format, ...] = (
    (4, b"ftyp", _media_data_start),
    (0, b"\x1a\x45\xdf\xa3", _file_start),  # Matroska and WebM
    (0, b"\x00\x00\x01\xba", _file_start),  # MPEG program stream
    (0, b"OggS", _file_start),
    (8, b"AVI ", _file_start),
)


def _media_start(file: BinaryIO, kind: Kind) -> int:
    head = file.read(16)
    for offset, magic, start_of in _AUDIO if kind == "audio" else _VIDEO:
        if head[offset : offset + len(magic)] == magic:
            return start_of(file)
    raise MaterialMissing(f"{Path(file.name).name} is not compressed {kind}: it begins with {head.hex()}")
