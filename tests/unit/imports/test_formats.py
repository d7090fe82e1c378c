"""Each format reads a file of its tool; files that are damaged, hostile or of another tool are refused."""

import json
import re
from typing import Any

import pytest

from orchestrator.results.imports.document import MAX_FILE_BYTES, MAX_READINGS, MAX_SERIES, ImportedFile, Series
from orchestrator.results.imports.formats import formats, read_file
from orchestrator.shared.errors import InvalidRequest
from tests.support.paths import REPOSITORY

FIXTURES = REPOSITORY / "tests" / "fixtures" / "imports"
FILES = {
    "evalme.json": "evalme",
    "google-benchmark.json": "google-benchmark",
    "google-benchmark-aggregates.json": "google-benchmark",
    "hyperfine.json": "hyperfine",
    "pyperf.json": "pyperf",
}


def text_of(name: str) -> str:
    return (FIXTURES / name).read_text(encoding="utf-8")


def read(name: str) -> ImportedFile:
    return read_file(text_of(name))[1]


def wall_time_of(file: ImportedFile, name: str) -> Series:
    return next(one for one in file.series if (one.name, one.quantity) == (name, "wall time"))


def changed(name: str, *path: str | int, value: Any) -> str:
    """Return a fixture with another value at a path."""
    document = json.loads(text_of(name))
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(document)


class TestRegistry:
    def test_every_fixture_is_listed_and_every_format_has_one(self) -> None:
        assert {path.name for path in FIXTURES.iterdir()} - {"README.md"} == set(FILES)
        assert set(FILES.values()) == set(formats())

    @pytest.mark.parametrize(("name", "expected"), FILES.items())
    def test_format_is_recognized_from_the_content_and_only_one_fits(self, name: str, expected: str) -> None:
        assert expected == read_file(text_of(name))[0].NAME
        assert expected == read_file(text_of(name), expected)[0].NAME
        for other in set(formats()) - {expected}:
            with pytest.raises(InvalidRequest, match=rf"looks like a file of {formats()[expected].TITLE}"):
                read_file(text_of(name), other)

    def test_unknown_format_name_lists_the_known_ones(self) -> None:
        with pytest.raises(InvalidRequest, match="no import format 'criterion'") as refusal:
            read_file("{}", "criterion")
        assert "evalme, google-benchmark, hyperfine, pyperf" in refusal.value.remedy

    @pytest.mark.parametrize("name", FILES)
    def test_every_absent_value_has_a_reason_and_every_figure_is_finite(self, name: str) -> None:
        for series in read(name).series:
            absent = {
                key
                for key in ("n", "mean", "standard_deviation", "minimum", "maximum", "interval")
                if getattr(series.figures, key) is None
            } | {key for key in ("readings", "processes") if getattr(series, key) is None}
            assert set(series.absent_because) == absent
            assert all(series.absent_because.values())


class TestHyperfine:
    def test_readings_are_the_times_in_nanoseconds(self) -> None:
        document = json.loads(text_of("hyperfine.json"))
        file = read("hyperfine.json")
        for result in document["results"]:
            wall = wall_time_of(file, result["command"])
            assert wall.readings == pytest.approx([1e9 * one for one in result["times"]])
            assert wall.figures.n == 8
            assert wall.figures.mean == pytest.approx(1e9 * result["mean"])
            assert wall.figures.standard_deviation == pytest.approx(1e9 * result["stddev"])
            assert wall.figures.value == pytest.approx(1e9 * result["median"])
            assert wall.facts == dict(result["parameters"].items())

    def test_cpu_times_are_means_without_readings(self) -> None:
        user = next(one for one in read("hyperfine.json").series if one.quantity == "user CPU time")
        assert user.readings is None
        assert user.figures.statistic == "mean"
        assert user.absent_because["readings"] == "hyperfine writes only the mean over all executions."

    def test_failed_executions_are_remarked(self) -> None:
        text = changed("hyperfine.json", "results", 0, "exit_codes", value=[0, 1, None, 0, 0, 0, 0, 0])
        assert read_file(text)[1].series[0].remarks == ("2 of 8 executions failed; their times are included.",)

    def test_one_execution_has_no_dispersion(self) -> None:
        result = {"command": "true", "mean": 0.5, "stddev": None, "times": [0.5], "exit_codes": [0]}
        series = read_file(json.dumps({"results": [result]}))[1].series[0]
        assert series.figures.standard_deviation is None
        assert series.absent_because["standard_deviation"] == "1 reading has no dispersion."

    def test_file_without_times_keeps_its_figures(self) -> None:
        result = {"command": "true", "mean": 0.5, "stddev": 0.1, "median": 0.4, "min": 0.3, "max": 0.9}
        series = read_file(json.dumps({"results": [result]}))[1].series[0]
        assert (series.figures.value, series.figures.statistic, series.readings) == (0.4e9, "median", None)
        assert "no list of times" in series.absent_because["readings"]

    def test_memory_of_newer_versions_is_a_series(self) -> None:
        text = changed("hyperfine.json", "results", 0, "memory_usage_byte", value=[1024] * 8)
        memory = next(one for one in read_file(text)[1].series if one.quantity == "peak memory")
        assert (memory.unit, memory.figures.value) == ("bytes", 1024)

    def test_changed_times_are_noticed(self) -> None:
        with pytest.raises(InvalidRequest, match=r"results\[0\].mean is .* the file was changed"):
            read_file(changed("hyperfine.json", "results", 0, "mean", value=0.001))


class TestGoogleBenchmark:
    def test_repetitions_are_readings_in_nanoseconds(self) -> None:
        entries = json.loads(text_of("google-benchmark.json"))["benchmarks"]
        name = entries[0]["run_name"]
        times = [e["real_time"] for e in entries if e["run_name"] == name and e["run_type"] == "iteration"]
        assert entries[0]["time_unit"] == "us"
        wall = wall_time_of(read("google-benchmark.json"), name)
        assert wall.readings == pytest.approx([1e3 * one for one in times])
        assert wall.figures.n == 6

    def test_counters_are_series_with_their_unit(self) -> None:
        units = {(one.quantity, one.unit) for one in read("google-benchmark.json").series}
        assert {("bytes per second", "bytes/s"), ("blocks", "")} <= units

    def test_failed_benchmark_is_an_omission_with_its_reason(self) -> None:
        assert read("google-benchmark.json").omissions == ["needs_counters has no result: no counters here."]
        one_of_six = read_file(changed("google-benchmark.json", "benchmarks", 0, "error_occurred", value=True))[1]
        assert re.fullmatch("A repetition of .+ has no result: an error.", one_of_six.omissions[0])

    def test_aggregates_alone_have_no_readings(self) -> None:
        entries = json.loads(text_of("google-benchmark-aggregates.json"))["benchmarks"]
        median = next(one for one in entries if one.get("aggregate_name") == "median")
        wall = wall_time_of(read("google-benchmark-aggregates.json"), median["run_name"])
        assert wall.figures.value == pytest.approx(1e3 * median["real_time"])
        assert (wall.figures.n, wall.readings) == (6, None)
        assert "aggregates_only" in wall.absent_because["readings"]

    def test_unknown_time_unit_is_refused(self) -> None:
        with pytest.raises(InvalidRequest, match="has the unit 'h'; expected ns, us, ms, s"):
            read_file(changed("google-benchmark.json", "benchmarks", 0, "time_unit", value="h"))

    def test_context_is_kept(self) -> None:
        file = read("google-benchmark.json")
        assert file.host == "desk"
        assert file.facts["build type of the library"] == "debug"


class TestPyperf:
    def test_readings_are_all_values_and_their_processes(self) -> None:
        benchmark = json.loads(text_of("pyperf.json"))["benchmarks"][0]
        values = [run["values"] for run in benchmark["runs"] if "values" in run]
        series = read("pyperf.json").series[0]
        assert series.readings == pytest.approx([1e9 * one for run in values for one in run])
        assert series.processes == tuple(len(run) for run in values)
        assert len(values) == 6
        assert series.figures.interval is not None

    def test_each_benchmark_has_its_name_and_the_file_its_host(self) -> None:
        file = read("pyperf.json")
        assert [one.name for one in file.series] == ["sha256-64", "sha256-1024"]
        assert file.host == "desk"
        assert file.facts["pyperf"]

    def test_another_version_of_the_format_is_refused(self) -> None:
        with pytest.raises(InvalidRequest, match="version '7'"):
            read_file(changed("pyperf.json", "version", value="7"))

    def test_unit_of_memory_is_bytes(self) -> None:
        text = changed("pyperf.json", "benchmarks", 0, "metadata", "unit", value="byte")
        assert read_file(text)[1].series[0].unit == "bytes"

    def test_benchmark_that_only_calibrated_is_an_omission(self) -> None:
        runs = [{"metadata": {}, "warmups": [[1, 0.1]]}]
        file = read_file(changed("pyperf.json", "benchmarks", 0, "runs", value=runs))[1]
        assert len(file.series) == 1
        assert file.omissions == ["sha256-64 has no values: its runs only calibrated the loops."]


class TestEvalMe:
    def test_times_and_samples_of_memory_are_readings(self) -> None:
        file = read("evalme.json")
        quantities = [one.quantity for one in file.series]
        assert quantities == [
            "wall time", "user CPU time", "system CPU time", "sampled resident memory", "sampled virtual memory",
        ]  # fmt: skip
        assert file.series[0].readings == pytest.approx([15.5e6, 13e6, 12.5e6, 13e6, 11.5e6, 14e6])
        assert file.series[3].readings == (1781760, 1785856, 1785856, 1785856, 1789952, 1785856)
        assert "not peaks" in file.series[3].remarks[0]


DEEP = '{"results": ' + "[" * 100 + "]" * 100 + "}"
RESULT = {"command": "x", "mean": 1.0, "stddev": None, "times": [1.0]}
FAILED = {"name": "a", "run_type": "iteration", "error_occurred": True, "error_message": "no key"}


class TestRefusals:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "The file is empty"),
            ("\n \n", "The file is empty"),
            ("{}", "an empty JSON object"),
            ("[1, 2]", "a JSON list of 2 items"),
            ('{"results": {}, "more": 1}', "the keys 'results', 'more'"),
            ("command,mean,stddev\n", "text that begins with 'command,mean,stddev'"),
            ("<html>", "text that begins with '<html>'"),
            ("\x1f\x8b\x00", "text that begins with"),
            ('{"results": [{"command"', "The file is cut off"),
            ('{"results": [{"command" "x"}]}', "The file is not valid JSON"),
            (DEEP, "nested too deeply"),
            ('{"results": [], "results": []}', "'results' occurs twice"),
        ],
    )
    def test_file_of_no_known_tool_is_described(self, text: str, message: str) -> None:
        with pytest.raises(InvalidRequest, match=message) as refusal:
            read_file(text)
        assert "Nothing was imported." in refusal.value.detail
        assert refusal.value.remedy

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ("NaN", "NaN is not valid JSON"),
            ("Infinity", "Infinity is not valid JSON"),
            ("1e999", r"results\[0\].times\[0\] is inf; expected a finite number"),
            ("-0.5", r"results\[0\].times\[0\] is -0.5; expected a number from 0"),
            ("1e30", r"results\[0\].times\[0\] is 1e\+30; expected a number from 0"),
            ("true", "expected a finite number"),
            ('"1"', "expected a finite number"),
            ("null", r"results\[0\].times\[0\] is absent"),
            ("9" * 50, "A number has 50 digits"),
        ],
    )
    def test_hostile_reading_is_refused_with_its_place(self, value: str, message: str) -> None:
        text = json.dumps({"results": [RESULT]}).replace("[1.0]", f"[{value}]")
        with pytest.raises(InvalidRequest, match=message):
            read_file(text)

    @pytest.mark.parametrize("sign", ["\x1b", "\x00", "\x7f", "\u202e", "\ufeff"])
    def test_control_character_in_a_name_is_refused(self, sign: str) -> None:
        with pytest.raises(InvalidRequest, match=r"results\[0\].command contains the control character U\+"):
            read_file(json.dumps({"results": [{**RESULT, "command": f"a{sign}b"}]}))

    def test_command_of_several_lines_becomes_one_line(self) -> None:
        text = json.dumps({"results": [{**RESULT, "command": "for i in 1 2\n\tdo true; done"}]})
        assert read_file(text)[1].series[0].name == "for i in 1 2 do true; done"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("{" + " " * MAX_FILE_BYTES + "}", "at most 8 MiB are imported"),
            (json.dumps({"results": [RESULT] * (MAX_SERIES + 1)}), f"has more than {MAX_SERIES} series"),
            (
                json.dumps({"results": [{**RESULT, "times": [1] * (MAX_READINGS + 1)}]}),
                "has more than 200000 readings",
            ),
            (json.dumps({"context": {}, "benchmarks": [FAILED]}), r"has no results\. a has no result: no key\."),
        ],
        ids=["bytes", "series", "readings", "no results"],
    )
    def test_file_beyond_the_limits_or_without_results_is_refused(self, text: str, message: str) -> None:
        with pytest.raises(InvalidRequest, match=message):
            read_file(text)
