"""Pure parts of the benchmarks of masked ciphers: limits of random bytes, cells, and counts in a log of QEMU."""

import pytest

from bench._masked_cells import Case, Reading, cells, more_random, published, random_limit
from bench.masked_instructions import timed_calls

ASCON = ("ascon-128", "full")
LOG = """\
----------------
IN: _ZN9TimedWork7measureEv
0x00001000:  d503201f  nop
0x00001004:  94000000  bl       #0x2000

Trace 0: 0x7f0001 [0000000001009331/0000000000001000/00000001/00000200] _ZN9TimedWork7measureEv
----------------
IN: _ZN6border4sealI5CipherEE
0x00002000:  d503201f  nop
0x00002004:  d503201f  nop
0x00002008:  d65f03c0  ret

Trace 0: 0x7f0002 [0000000001009331/0000000000002000/00000001/00000200] _ZN6border4sealI5CipherEE
----------------
IN: memcpy
0x00003000:  d65f03c0  ret

Trace 0: 0x7f0003 [0000000001009331/0000000000003000/00000001/00000200] memcpy
----------------
IN: _ZN9TimedWork7measureEv
0x00001008:  54000000  b.eq     #0x1000

Trace 0: 0x7f0004 [0000000001009331/0000000000001008/00000001/00000200] _ZN9TimedWork7measureEv
Trace 0: 0x7f0001 [0000000001009331/0000000000001000/00000001/00000200] _ZN9TimedWork7measureEv
Trace 0: 0x7f0002 [0000000001009331/0000000000002000/00000001/00000200] _ZN6border4sealI5CipherEE
Trace 0: 0x7f0004 [0000000001009331/0000000000001008/00000001/00000200] _ZN9TimedWork7measureEv
Trace 0: 0x7f0003 [0000000001009331/0000000000003000/00000001/00000200] memcpy
Trace 0: 0x7f0002 [0000000001009331/0000000000002000/00000001/00000200] _ZN6border4sealI5CipherEE
Trace 0: 0x7f0003 [0000000001009331/0000000000003000/00000001/00000200] memcpy
"""


def test_instructions_of_timed_calls_are_counted_with_all_that_they_call() -> None:
    # The third call is not made by the timing loop.
    assert timed_calls(LOG.splitlines(keepends=True)) == [4, 3]


def test_random_bytes_for_other_shares_follow_from_the_published_ones() -> None:
    known = published()
    # 36 rounds with five multiplications of 8 bytes; five words are shared.
    assert random_limit(known, ASCON, 16, 3) == 3 * 1440 + 2 * 40
    without_six = {key: value for key, value in known.items() if key[5] != "6"}
    sixes = [key for key in known if key[0] == "random_bytes" and key[5] == "6"]
    for _, algorithm, kind, _, length, _ in sixes:
        row = (algorithm, "full" if kind == "full" else "init")
        assert random_limit(without_six, row, int(length), 6) == random_limit(known, row, int(length), 6)
    assert random_limit(known, ("spook-128-512-mu", "init-final"), 16, 3) is None


def test_cell_takes_the_variant_that_is_best_at_both_lengths() -> None:
    known = published()
    # Published: 912 and 3051 ns; 342 and 1015 without masks.
    times = {"one": (900, 3000), "other": (100, 3100), "-": (171, 1015)}
    readings = {}
    for variant, ns in times.items():
        form = ("-", 1, "-") if variant == "-" else ("full", 3, "free")
        for operation in ("encrypt", "decrypt"):
            for length, value in zip((16, 128), ns, strict=True):
                case = Case("ascon-128", variant, *form, "apart", operation, length)
                readings[case] = Reading([value + 5.0, value], [50.0], 4401)
    (cell,) = cells(readings, known)
    assert (cell.variant, cell.below) == ("one", True)
    assert cell.ns["encrypt", 16] == 900
    assert cell.scaled[16] == pytest.approx(900 / 912 * 342 / 171)
    assert cell.overhead == pytest.approx((3 * 100 + 3100) / (3 * 171 + 1015))
    assert more_random([cell], known) == ["ascon-128 full 3 shares 16 B: 4401 > 4400"]
