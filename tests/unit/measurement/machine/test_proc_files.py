from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.measurement.machine.proc_files import (
    PAGE_BYTES,
    TICK_NS,
    ProcessFiles,
    parse_stat,
    parse_statm_rss_bytes,
)
from tests.support.paths import FIXTURES

FIXTURES = FIXTURES / "proc"


def stat_line(name: str, **fields: int) -> bytes:
    values = {"minor": 0, "major": 0, "user": 0, "system": 0, "threads": 1, "core": 0} | fields
    row = ["0"] * 52
    row[0], row[1], row[2] = "7", f"({name})", "R"
    for index, key in ((9, "minor"), (11, "major"), (13, "user"), (14, "system"), (19, "threads"), (38, "core")):
        row[index] = str(values[key])
    return " ".join(row).encode()


class TestParseStat:
    def test_recorded_line_is_parsed(self) -> None:
        stat = parse_stat((FIXTURES / "pid_stat").read_bytes())

        assert stat.name == "python3"
        assert stat.state == "R"
        assert stat.threads == 1
        assert stat.core in (0, 1)
        assert stat.minor_faults > 100

    @given(st.text(st.characters(exclude_characters="\0\n", exclude_categories=["Cs"]), max_size=15))
    def test_process_name_may_contain_spaces_and_parentheses(self, name: str) -> None:
        """A process may call itself ``a) R 1 (b``; the fields follow the last parenthesis."""
        stat = parse_stat(stat_line(name, minor=3, major=2, user=5, system=7, threads=4, core=1))

        assert stat.name == name
        assert (stat.minor_faults, stat.major_faults, stat.threads, stat.core) == (3, 2, 4, 1)
        assert stat.cpu_ns == 12 * TICK_NS

    @pytest.mark.parametrize("content", [b"", b"7 (cat) R 1 2", b"7 cat R " + b"0 " * 49])
    def test_incomplete_line_is_refused(self, content: bytes) -> None:
        with pytest.raises(ValueError, match="52 fields"):
            parse_stat(content)


class TestParseStatm:
    def test_recorded_line_is_parsed(self) -> None:
        assert 1_000_000 < parse_statm_rss_bytes((FIXTURES / "pid_statm").read_bytes()) < 100_000_000

    def test_pages_are_converted_to_bytes(self) -> None:
        assert parse_statm_rss_bytes(b"900 150 80 1 0 60 0\n") == 150 * PAGE_BYTES

    def test_empty_line_is_refused(self) -> None:
        with pytest.raises(ValueError, match="7 fields"):
            parse_statm_rss_bytes(b"")


class TestProcessFiles:
    def test_missing_process_raises_file_not_found(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            ProcessFiles(1, tmp_path)
