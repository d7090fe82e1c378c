import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.measurement.launch.launcher import LaunchRequest, Streams
from orchestrator.shared.errors import InvalidRequest

printable = st.text(st.characters(exclude_characters="\0\n", exclude_categories=["Cs"]), max_size=40)


class TestLaunchRequest:
    @given(st.lists(printable, max_size=6), st.dictionaries(st.from_regex(r"[A-Z]{1,9}", fullmatch=True), printable))
    def test_every_argument_is_one_line(self, arguments: list[str], variables: dict[str, str]) -> None:
        request = LaunchRequest(("/bin/true", *arguments), 1.5, 4096, cpu=1, environment=variables)

        lines = request.encode(7).decode().split("\n")

        assert lines[:4] == ["run 7", "cpu 1", "timeout_ms 1500", "output_limit 4096"]
        assert [line[4:] for line in lines if line.startswith("arg ")] == ["/bin/true", *arguments]
        assert lines[4 : 4 + len(variables)] == [f"env {name}={value}" for name, value in variables.items()]
        assert lines[-2:] == ["go", ""]

    def test_only_given_streams_are_named(self) -> None:
        request = LaunchRequest(("/bin/true",), 1.5, 4096, streams=Streams(stdin=7, stderr=2**15))

        lines = request.encode(7).decode().split("\n")

        assert [line for line in lines if line.startswith("std")] == ["stdin 7", "stderr 32768"]

    @pytest.mark.parametrize("value", ["a\0b", "a\ngo\0"])
    def test_nul_is_refused(self, value: str) -> None:
        with pytest.raises(InvalidRequest, match="NUL"):
            LaunchRequest(("/bin/true", value), 1, 4096).encode(1)
        with pytest.raises(InvalidRequest, match="NUL"):
            LaunchRequest(("/bin/true",), 1, 4096, environment={"A": value}).encode(1)

    def test_further_lines_of_a_value_are_fields_of_their_own(self) -> None:
        """No line of a value is read as a field such as `go`."""
        request = LaunchRequest(("/bin/true", "a\ngo\n"), 1, 4096, environment={"F": "{\n}"})

        lines = request.encode(1).decode().split("\n")

        assert lines[3:] == ["env F={", "more }", "arg /bin/true", "arg a", "more go", "more ", "go", ""]

    def test_line_feed_in_a_name_is_refused(self) -> None:
        with pytest.raises(InvalidRequest, match="line feed"):
            LaunchRequest(("/bin/true",), 1, 4096, environment={"A\nB": "c"}).encode(1)

    @pytest.mark.parametrize("arguments", [(), ("true",), ("./true",)])
    def test_relative_program_path_is_refused(self, arguments: tuple[str, ...]) -> None:
        with pytest.raises(InvalidRequest, match="absolute path"):
            LaunchRequest(arguments, 1, 4096).encode(1)

    def test_timeout_is_at_least_one_millisecond(self) -> None:
        assert b"timeout_ms 1\n" in LaunchRequest(("/bin/true",), 0.0001, 4096).encode(1)
