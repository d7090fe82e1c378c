from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.measurement.machine.core_lists import format_core_list, parse_core_list, read_core_list


class TestParseCoreList:
    @pytest.mark.parametrize(("text", "cores"), [("0", [0]), ("0-3", [0, 1, 2, 3]), ("0,2-3,8", [0, 2, 3, 8])])
    def test_kernel_notation_is_parsed(self, text: str, cores: list[int]) -> None:
        assert parse_core_list(text) == cores


class TestFormatCoreList:
    def test_consecutive_cores_are_written_as_a_range(self) -> None:
        assert format_core_list(frozenset({5, 0, 2, 1})) == "0-2,5"

    @given(st.frozensets(st.integers(0, 300), min_size=1))
    def test_written_list_is_parsed_to_the_same_cores(self, cores: frozenset[int]) -> None:
        assert parse_core_list(format_core_list(cores)) == sorted(cores)


class TestReadCoreList:
    def test_empty_file_lists_no_core_and_missing_file_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "isolated").write_text("\n")
        assert read_core_list(tmp_path / "isolated") == frozenset()
        assert read_core_list(tmp_path / "none") is None
