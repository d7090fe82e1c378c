from datetime import timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.builds.schemas import FootprintFigures
from orchestrator.database.models import now
from orchestrator.results.cases.schemas import CaseSummary
from orchestrator.shared.units import MIB
from orchestrator.statistics.stopping import Stop
from orchestrator.web import formats


class TestNumber:
    @given(st.floats(min_value=1e-6, max_value=1e12))
    def test_rounding_error_is_below_half_a_percent(self, value: float) -> None:
        shown = float(formats.number(value).replace(formats.THIN_SPACE, ""))
        assert shown == pytest.approx(value, rel=0.005)

    @pytest.mark.parametrize(
        ("value", "text"),
        [(None, "—"), (0, "0"), (1216.4, "1\u202f216"), (99.96, "100"), (9.996, "10.0"), (0.0179, "0.0179")],
    )
    def test_examples(self, value: float | None, text: str) -> None:
        assert formats.number(value) == text


def test_counted_noun_has_its_number() -> None:
    """Regression: the page of an agent had `1 records`."""
    assert [formats.counted(number, "record") for number in (0, 1, 1216)] == [
        "0 records",
        "1 record",
        "1\u202f216 records",
    ]


class TestScaled:
    def test_throughput_is_in_binary_units(self) -> None:
        assert formats.FILTERS["mibps"](31 * MIB) == "31.0"


class TestPercent:
    @pytest.mark.parametrize(
        ("share", "text"), [(0, "0 %"), (0.004, "< 1 %"), (0.647, "65 %"), (0.999, "99 %"), (1, "100 %")]
    )
    def test_percent_is_rounded_away_from_0_and_100(self, share: float, text: str) -> None:
        assert formats.percent(share) == text


class TestAgo:
    @pytest.mark.parametrize(
        ("seconds", "text"), [(3, "3 s ago"), (130, "2 min ago"), (7300, "2 h ago"), (-5, "0 s ago")]
    )
    def test_units(self, seconds: int, text: str) -> None:
        assert formats.ago(now() - timedelta(seconds=seconds)) == text

    def test_never(self) -> None:
        assert formats.ago(None) == "never"


class TestReading:
    @pytest.mark.parametrize(
        ("value", "unit", "text"),
        [
            (None, "ns", "—"),
            (2_310_000, "ns", "2.31 ms"),
            (384 * 1024, "bytes", "384 KiB"),
            (236, "1", "236"),
            (1_500_000_000, "Hz", "1\u202f500\u202f000\u202f000 Hz"),
            (0.021, "share of work_wall_ns", "2.10 % of work_wall_ns"),
        ],
    )
    def test_reading_contains_its_unit(self, value: float | None, unit: str, text: str) -> None:
        assert formats.reading(value, unit) == text


class TestRows:
    @pytest.mark.parametrize(
        ("operation", "key_setup", "label", "stack_bytes"),
        [
            ("encrypt", "apart", "encrypt", 200),
            ("encrypt", "included", "encrypt, key set in each call", 300),
            ("key-setup", "apart", "key setup", 300),
            ("decrypt", "included", "decrypt, key set in each call", None),
        ],
    )
    def test_call_label_and_stack_follow_operation_and_key_setup(
        self, operation: str, key_setup: str, label: str, stack_bytes: int | None
    ) -> None:
        sizes = FootprintFigures.model_construct(stack_bytes={"key-setup": 300, "encrypt": 200})
        case = CaseSummary.model_construct(operation=operation, key_setup=key_setup, footprint=sizes)
        assert (formats.operation_label(operation, key_setup), formats.stack_bytes(case)) == (label, stack_bytes)

    def test_every_stop_reason_has_a_text(self) -> None:
        assert {*get_args(Stop)} - {"reached"} == set(formats.STOP_REASONS)
