"""Figures of source code in every language, compared with counts by hand."""

import gzip
import lzma

import pytest

from orchestrator.builds.source_metrics.figures import figures_of

C = b"""// A cipher.
#include <cstdint>

/* Two lines
   of comment. */
int rotate(int x) { return x << 1; }  // also a comment

int choose(int x) {
  if (x > 1 && x < 9) return 1;
  return 0;
}
"""
PYTHON = b'''"""Module.

Two paragraphs.
"""

# A comment.
TEXT = "no docstring"


def choose(x):
    """Choose."""
    if x > 1:
        return 1
    return 0
'''
BRACES = b"""// A comment.
%s choose(%s) {
  if (x > 1) { return 1 }
  return 0
}
"""


@pytest.mark.parametrize(
    ("path", "text", "lines", "complexities"),
    [
        ("cipher.cpp", C, (11, 6, 4), (2, 3)),
        ("cipher.h", C, (11, 6, 4), (2, 3)),
        ("cipher.py", PYTHON, (14, 5, 6), (1, 2)),
        ("cipher.js", BRACES % (b"function", b"x"), (5, 4, 1), (1, 2)),
        ("cipher.go", BRACES % (b"func", b"x int"), (5, 4, 1), (1, 2)),
        ("cipher.rs", BRACES % (b"fn", b"x: u32"), (5, 4, 1), (1, 2)),
        ("Cipher.java", b"class Cipher {\n" + BRACES % (b"int", b"int x") + b"}\n", (7, 6, 1), (1, 2)),
    ],
)
def test_lines_and_complexity_are_those_counted_by_hand(
    path: str, text: bytes, lines: tuple[int, int, int], complexities: tuple[int, int]
) -> None:
    found = figures_of([(path, text)])

    assert (found.physical_lines, found.source_lines, found.comment_lines) == lines
    assert (found.functions, found.max_complexity) == complexities


def test_files_are_counted_together_and_compressed_in_one_stream() -> None:
    one, two = figures_of([("a.py", PYTHON)]), figures_of([("a.py", PYTHON), ("b.py", PYTHON)])

    assert two.files == ["a.py", "b.py"]
    assert (two.source_lines, two.raw_bytes, two.disk_blocks) == (2 * one.source_lines, 2 * one.raw_bytes, 2)
    assert two.gzip_bytes == len(gzip.compress(PYTHON * 2, 9, mtime=0)) < 2 * one.gzip_bytes
    assert two.xz_bytes == len(lzma.compress(PYTHON * 2, preset=9)) < two.raw_bytes
    assert two.zstd_bytes is None or two.zstd_bytes < two.raw_bytes


def test_disk_blocks_are_whole() -> None:
    assert figures_of([("a.py", b"#" * 4096), ("b.py", b"#" * 4097)]).disk_blocks == 3


def test_file_without_functions_has_no_mean_complexity() -> None:
    found = figures_of([("a.py", b"A = 1\n")])

    assert (found.functions, found.mean_complexity, found.max_complexity) == (0, None, None)
