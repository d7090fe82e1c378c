"""A curve comes back as it was; damaged bytes are refused, whatever the damage."""

import contextlib
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.database import curves
from orchestrator.shared.errors import CurveDamaged
from orchestrator.wire.records import CurveSamples

VALUES = st.integers(min_value=0, max_value=2**63 - 1)


@st.composite
def any_curve(draw: st.DrawFn) -> CurveSamples:
    samples = draw(st.integers(min_value=0, max_value=60))
    column = st.lists(VALUES | st.integers(0, 300), min_size=samples, max_size=samples)
    return CurveSamples(
        at_ns=draw(column),
        rss_bytes=draw(column | st.just([])),
        cpu_ns=draw(column | st.just([])),
        threads=draw(column | st.just([])),
        source=draw(st.sampled_from(["proc", "psutil"])),
    )


def steady_curve(samples: int) -> CurveSamples:
    times = [10_000_000 * index + index % 7 * 1000 for index in range(samples)]
    return CurveSamples(at_ns=times, rss_bytes=[67_108_864] * samples, cpu_ns=times, threads=[1] * samples)


class TestRoundTrip:
    @given(any_curve())
    def test_every_curve_comes_back(self, curve: CurveSamples) -> None:
        assert curves.decode(curves.encode(curve)) == curve

    def test_differences_are_taken_where_they_pay(self) -> None:
        blob = curves.encode(steady_curve(600))
        plain_bytes = 600 * 4 * 8
        assert len(blob) < plain_bytes / 10


class TestDamage:
    @given(st.binary(max_size=200))
    def test_any_bytes_are_refused_or_a_curve(self, blob: bytes) -> None:
        with contextlib.suppress(CurveDamaged):
            assert isinstance(curves.decode(blob), CurveSamples)

    @given(curve=any_curve(), cut=st.integers(min_value=1, max_value=40))
    def test_a_cut_blob_is_refused(self, curve: CurveSamples, cut: int) -> None:
        blob = curves.encode(curve)
        with pytest.raises(CurveDamaged):
            curves.decode(blob[:-cut])

    @given(st.data())
    def test_one_flipped_bit_is_refused(self, data: st.DataObject) -> None:
        blob = bytearray(curves.encode(steady_curve(50)))
        bit = data.draw(st.integers(min_value=0, max_value=8 * len(blob) - 1))
        blob[bit // 8] ^= 1 << bit % 8
        # Four bits of the header of zlib mean nothing to its reader; everything else is under its checksum.
        with contextlib.suppress(CurveDamaged):
            assert curves.decode(bytes(blob)) == steady_curve(50)

    def test_another_form_is_named(self) -> None:
        with pytest.raises(CurveDamaged, match="seen: 9"):
            curves.decode(b"\x09abc")

    def test_a_bomb_is_not_unfolded(self) -> None:
        bomb = b"\x01" + zlib.compress(b"\0" * 40_000_000, 9)
        with pytest.raises(CurveDamaged, match="do not end"):
            curves.decode(bomb)

    def test_a_number_of_samples_that_is_not_there(self) -> None:
        text = curves._HEADER.pack(5, 0, 1) + b"\x05at_ns" + bytes([0, 8]) + b"\0" * 8
        with pytest.raises(CurveDamaged, match="bytes are missing"):
            curves.decode(b"\x01" + zlib.compress(text))
