"""Prose from packages: the King James Bible (`bible-kjv`), followed by Spanish quotations (`fortunes-es`)."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path

from corpus.material import Material
from corpus.packaged.packages import Packages
from corpus.packaged.process import output_of

_WHOLE_BIBLE = "gen1:1-rev22:21"
# `1Sa17:4 And there went out …`: book with chapter, verse, and the words.
_VERSE = re.compile(r"(\w+):\d+ (.+)")
# A quotation ends with a line `-- Author`, which is not prose.
_ATTRIBUTION = re.compile(r"^\s*--.*", re.MULTILINE | re.DOTALL)


def packaged_text(packages: Packages) -> Material:
    """Return the prose of installed packages; raise MaterialMissing if `bible-kjv` is not installed."""
    bible = packages.program("bible", "bible-kjv")
    quotations = _quotation_files(packages)
    also = f" and {len(quotations)} files of fortunes-es" if quotations else ""
    return Material(
        origin="generated",
        title="The King James Bible" + (", and Spanish quotations" if quotations else ""),
        license="public domain",
        address=None,
        offset_bytes=0,
        note=f"prose from the package bible-kjv{also}, without verse numbers and authors",
        open=partial(open_prose, bible, quotations),
    )


@contextmanager
def open_prose(bible: str, quotations: list[Path]) -> Generator[Iterator[bytes]]:
    """Yield the prose in UTF-8: one paragraph per chapter of the Bible, then one per quotation."""
    yield _prose(bible, quotations)


def _prose(bible: str, quotations: list[Path]) -> Iterator[bytes]:
    with output_of([bible, "-f", _WHOLE_BIBLE]) as blocks:
        lines = b"".join(blocks).decode("ascii").splitlines()
    verses = [match.groups() for line in lines if (match := _VERSE.fullmatch(line))]
    for _, chapter in groupby(verses, key=lambda verse: verse[0]):
        yield (" ".join(words.strip() for _, words in chapter) + "\n\n").encode()
    seen: set[str] = set()
    for path in quotations:
        for quotation in _quotations(path):
            if quotation not in seen:
                seen.add(quotation)
                yield f"{quotation}\n\n".encode()


def _quotation_files(packages: Packages) -> list[Path]:
    """Return the collections in UTF-8; the offensive ones in the folder `off` are excluded."""
    return sorted((packages.usr / "share/games/fortunes/es").glob("*.u8"))


def _quotations(path: Path) -> Iterator[str]:
    for quotation in path.read_text(encoding="utf-8").split("\n%\n"):
        words = " ".join(_ATTRIBUTION.sub("", quotation).split())
        if words:
            yield words
