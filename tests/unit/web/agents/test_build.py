import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.builds.schemas import NOT_CHECKED, FootprintFigures
from orchestrator.results.cases.repository import Sorting
from orchestrator.shared.errors import InvalidRequest
from orchestrator.web.agents.build import FOOTPRINT_COLUMNS, parse_sorting, sort_footprints
from orchestrator.web.agents.views import FootprintRow
from orchestrator.web.runs.executions.views import LatencyRow
from orchestrator.web.views import Interval

sizes = st.none() | st.integers(0, 2**40)


def figures(**known: int | None) -> FootprintFigures:
    names = [name for name in FootprintFigures.model_fields if name != "reason"]
    return FootprintFigures(**{**dict.fromkeys(names), **known}, reason="")


def row(code_bytes: int | None, encrypt_stack_bytes: int | None = None) -> FootprintRow:
    known = figures(code_bytes=code_bytes, encrypt_stack_bytes=encrypt_stack_bytes)
    return FootprintRow(
        provider="own", algorithm="aes-256-ecb", variant="ref", figures=known, constant_time=NOT_CHECKED
    )


class TestSortFootprints:
    @given(st.lists(st.builds(row, sizes, sizes)), st.sampled_from(sorted(FOOTPRINT_COLUMNS)), st.booleans())
    def test_nothing_is_lost_and_the_unknown_come_last(
        self, rows: list[FootprintRow], key: str, descending: bool
    ) -> None:
        found = sort_footprints(rows, Sorting(key, descending))
        assert sorted(map(id, found)) == sorted(map(id, rows))
        known = [FOOTPRINT_COLUMNS[key](one) is not None for one in found]
        assert known == sorted(known, reverse=True)

    def test_0_bytes_are_a_size(self) -> None:
        assert [
            one.figures.code_bytes for one in sort_footprints([row(None), row(5), row(0)], Sorting("code", False))
        ] == [
            0,
            5,
            None,
        ]


class TestSortingOf:
    def test_a_minus_turns_the_order_round(self) -> None:
        assert parse_sorting("-stack") == Sorting("stack", descending=True)

    def test_unknown_column_is_refused_with_those_there_are(self) -> None:
        with pytest.raises(InvalidRequest, match="'colour'") as refused:
            parse_sorting("colour")
        assert refused.value.remedy
        assert "code" in refused.value.remedy


class TestLatencyRow:
    @pytest.mark.parametrize(
        ("operation", "key_setup", "stack_bytes"),
        [
            ("encrypt", "apart", 240),
            ("decrypt", "apart", None),
            ("key-setup", "apart", 512),
            ("encrypt", "included", 512),
        ],
    )
    def test_the_stack_is_that_of_what_a_call_does(
        self, operation: str, key_setup: str, stack_bytes: int | None
    ) -> None:
        nothing = Interval(median=None, low=None, high=None)
        found = LatencyRow(
            case_id=1, protocol="latency", agent="pi", provider="own", algorithm="aes-256-ecb", variant="ref",
            toolchain="gcc -O2", input_kind=None, message_bytes=16, peak_rss_bytes=None, basis=None, ok=0, failed=0,
            wrong=0, disputed=0, skipped=0, disturbed=0, operation=operation, key_setup=key_setup,
            associated_data_bytes=0, fill="zero", key_fill="zero", call_wall_ns=nothing, call_cpu_ns=None,
            cold_call_wall_ns=None, typical=None, vouched_by="one agent",
            relative_interval=None, outliers=0, warm_ups=0, cycles_per_instruction=None,
            energy_per_execution_joules=None, energy_per_byte_joules=None,
            footprint=figures(encrypt_stack_bytes=240, key_setup_stack_bytes=512),
        )  # fmt: skip
        assert found.stack_bytes == stack_bytes
