"""`ciphermark measure` with real programs: readings, refusals and output."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.shared.units import MIB
from tests.integration.adhoc.conftest import Measure

HOLDER = "import time; held = bytearray(64 * 1024 * 1024); time.sleep(0.05)"
BUSY = "import time; all(iter(lambda: time.process_time() < 0.1, False))"


def python(code: str) -> str:
    """Return the command line of a Python that skips its start-up files."""
    return shlex.join([sys.executable, "-I", "-S", "-c", code])


def summary(document: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = (program["summary"] for program in document["programs"] if program["name"] == name)
    assert isinstance(found, dict)
    return found


class TestReadings:
    def test_memory_cpu_time_and_ranking_of_programs(self, measure: Measure) -> None:
        arguments = (
            "-n",
            "3",
            "-w",
            "1",
            "--seed",
            "7",
            "--json",
            "--name",
            "holder",
            "--name",
            "busy",
            "--name",
            "sleeper",
        )
        commands = (python(HOLDER), python(BUSY), "sleep 0.05")

        seen = measure(*arguments, *commands).document
        again = measure(*arguments, "/bin/true", "/bin/true", "/bin/true").document

        plain = summary(seen, "sleeper")["peak_rss_max_bytes"]
        assert plain < 4 * MIB
        assert 64 * MIB < summary(seen, "holder")["peak_rss_max_bytes"] < 64 * MIB + 24 * MIB
        assert summary(seen, "busy")["user_median_ns"] + summary(seen, "busy")["system_median_ns"] > 90e6
        assert summary(seen, "sleeper")["cpu_share"] < 0.5
        assert summary(seen, "sleeper")["wall_min_ns"] >= 50e6
        assert summary(seen, "sleeper")["executions"] == 3
        assert _order(seen) == _order(again)
        assert [purpose for _, purpose in _order(seen)] == ["warm-up"] * 3 + ["timing"] * 9
        for program in seen["programs"]:
            for execution in program["executions"]:
                assert {name for name, value in execution["readings"].items() if value is None} == set(
                    execution["absent"]
                )

    @pytest.mark.long
    def test_program_has_the_callers_environment_and_folder(self, measure: Measure, tmp_path: Path) -> None:
        code = "import os; assert os.environ['SEEN'] == 'a b'; assert os.path.realpath('.') == os.environ['FOLDER']"
        code += "; assert os.environ['BASH_FUNC_f%%'] == '() {' + chr(10) + '}'"
        padded = python(f"{code}; open('out', 'a').write(os.environ.get('CIPHERMARK_PADDING', 'none') + chr(10))")
        variables = {"SEEN": "a b", "FOLDER": os.path.realpath(tmp_path)}
        variables |= {"BASH_FUNC_f%%": "() {\n}", "LONG": "x" * 70_000}

        ended = measure("-n", "3", "--json", "--", *shlex.split(padded), **variables)

        assert ended.document["remarks"][0] == "Environment variables not passed on: LONG."
        lengths = {len(line) for line in (tmp_path / "out").read_text().splitlines()}
        assert len(lengths) > 1
        (tmp_path / "out").unlink()
        assert measure("-n", "1", "--no-padding", "--", *shlex.split(padded), **variables).code == 0
        assert (tmp_path / "out").read_text() == "none\n"

    def test_any_core_has_no_readings_of_one_core(self, measure: Measure) -> None:
        document = measure("-n", "1", "--any-core", "--json", "--curves", "--", "sleep", "0.05").document
        assert document["stopped"] == "requested"

        (execution,) = document["programs"][0]["executions"]
        assert document["measured_core"] is None
        assert execution["readings"]["others_cpu_ns"] is None
        assert execution["absent"]["others_cpu_ns"] == "the program was not pinned to a core"
        assert len(execution["curve"]["rss_bytes"]) == execution["readings"]["samples"]


class TestOutput:
    def test_table_has_80_columns_and_files_are_those_of_hyperfine(self, measure: Measure, tmp_path: Path) -> None:
        commands = ("sleep 0.01", "sleep 0.2")
        ended = measure("-n", "6", "--control", "--export-json", "f.json", "--export-csv", "f.csv", *commands)

        assert ended.code == 0, ended.stderr
        assert max(map(len, ended.stdout.splitlines())) <= 80
        assert "'sleep 0.01' is " in " ".join(ended.stdout.split())
        assert "noise floor" in ended.stdout
        results = json.loads((tmp_path / "f.json").read_text())["results"]
        assert [result["command"] for result in results] == [*commands, "sleep 0.01 (control)"]
        rows = list(csv.DictReader(io.StringIO((tmp_path / "f.csv").read_text())))
        assert [float(row["mean"]) for row in rows] == [result["mean"] for result in results]

    def test_export_has_every_key_of_the_installed_hyperfine(self, measure: Measure, tmp_path: Path) -> None:
        """hyperfine's scripts plot_whisker.py and advanced_statistics.py read these keys."""
        command = ["sleep", "0.05"]
        theirs_file = tmp_path / "theirs.json"
        hyperfine = ["hyperfine", "-N", "-r", "2", "--export-json", str(theirs_file), shlex.join(command)]
        subprocess.run(hyperfine, check=True, capture_output=True)

        measure("-n", "2", "--export-json", "ours.json", "--", *command)

        (theirs,), (ours,) = (json.loads(path.read_text())["results"] for path in (theirs_file, tmp_path / "ours.json"))
        assert theirs.keys() <= ours.keys()
        assert [type(ours[name]) for name in theirs] == [type(value) for value in theirs.values()]
        assert ours["command"] == theirs["command"]
        assert len(ours["times"]) == len(ours["exit_codes"]) == len(ours["memory_usage_byte"]) == 2
        assert 0.05 <= ours["min"] <= ours["median"] <= ours["max"]
        assert ours["mean"] == pytest.approx(theirs["mean"], abs=1)  # seconds in both

    def test_csv_has_a_row_per_execution(self, measure: Measure) -> None:
        rows = list(csv.DictReader(io.StringIO(measure("-n", "2", "-w", "1", "--csv", "--", "true").stdout)))

        assert [row["purpose"] for row in rows] == ["warm-up", "timing", "timing"]
        assert all(int(row["process_wall_ns"]) > 0 and int(row["peak_rss_bytes"]) > 0 for row in rows)

    def test_export_to_standard_output_replaces_the_table(self, measure: Measure) -> None:
        ended = measure("-n", "2", "--export-markdown", "-", "-u", "second", "sleep 0.01", "sleep 0.02")

        assert ended.stdout.startswith("| Command | Median \\[s] | 95 % interval \\[s] |")
        assert len(ended.stdout.splitlines()) == 4


class TestAround:
    def test_hooks_are_executed_around_each_execution_and_not_timed(self, measure: Measure, tmp_path: Path) -> None:
        ended = measure(
            "-n", "2", "-w", "1", "--json", "--shell", "sh", "-L", "who", "a,b", "--setup", "echo setup >> log",
            "--prepare", "date +%s%N >> stamps; sleep 0.3; echo prepare-{who} >> log",
            "--conclude", "date +%s%N >> stamps; echo conclude-{who} >> log",
            "--cleanup", "echo cleanup >> log", "echo run-{who} >> log",
        )  # fmt: skip

        log = (tmp_path / "log").read_text().split()
        assert (log[0], log[-1]) == ("setup", "cleanup")
        triples = [tuple(log[place : place + 3]) for place in range(1, len(log) - 1, 3)]
        assert sorted(triples) == [
            (f"prepare-{who}", f"run-{who}", f"conclude-{who}") for who in "ab" for _ in range(3)
        ]
        programs = ended.document["programs"]
        assert [program["parameters"] for program in programs] == [{"who": "a"}, {"who": "b"}, {}]
        assert [program["shell_start"] for program in programs] == [False, False, True]
        # Between both stamps of an execution are the sleep and what is timed.
        stamps = iter(map(int, (tmp_path / "stamps").read_text().split()))
        between_ns = sorted(concluded - prepared for prepared, concluded in zip(stamps, stamps, strict=True))
        timed = [program["summary"] for program in programs[:2]]
        assert max(summary["wall_max_ns"] for summary in timed) <= between_ns[-1] - 300e6
        assert min(summary["wall_min_ns"] for summary in timed) <= between_ns[0] - 300e6

    def test_input_is_complete_in_each_execution_and_output_is_that_of_the_last(
        self, measure: Measure, tmp_path: Path
    ) -> None:
        (tmp_path / "in").write_text("b\na\n")

        ended = measure("-n", "3", "--json", "--input", "in", "--output", "out-{x}", "-L", "x", "1,2", "sort -k {x}")

        assert (tmp_path / "out-1").read_text() == "a\nb\n"
        (execution, *_) = ended.document["programs"][0]["executions"]
        assert execution["readings"]["standard_output_bytes"] is None
        assert execution["absent"]["standard_output_bytes"] == "the output went to another place"
        assert execution["readings"]["standard_error_bytes"] == 0

    @pytest.mark.long
    def test_shown_output_is_that_of_the_programs_and_the_hooks(self, measure: Measure) -> None:
        ended = measure(
            "-n", "2", "--show-output", "--prepare", "echo prepared", "--", "sh", "-c", "echo out; echo err >&2"
        )

        assert [ended.stdout.count(word) for word in ("prepared\n", "out\n")] == [2, 2]
        assert ended.stderr.count("err\n") == 2

    def test_reference_is_compared_with_the_others(self, measure: Measure) -> None:
        ended = measure("-n", "6", "--reference", "sleep 0.1", "--reference-name", "ref", "sleep 0.01", "sleep 0.3")

        text = " ".join(ended.stdout.split())
        # One disturbed round makes a tie of six.
        assert re.search(r"'sleep 0.01' is \S+ times as fast as 'ref' \(95 %|'ref' and 'sleep 0.01' are tied", text)
        assert re.search(r"'ref' is \S+ times as fast as 'sleep 0.3' \(95 %|'ref' and 'sleep 0.3' are tied", text)

    @pytest.mark.long
    def test_runs_are_limited(self, measure: Measure) -> None:
        most = measure("--max-runs", "3", "--json", "--", "sleep", "0.01").document
        least = measure("--min-runs", "12", "--precision", "0.5", "--json", "--", "sleep", "0.01").document

        assert (most["rounds"], most["stopped"]) == (3, "maximum")
        assert least["rounds"] == 12


class TestFailures:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (
                ("--", "sh", "-c", "echo last words >&2; exit 7"),
                "ended with exit code 7, in round 1. Its standard error ends with:\n  last words",
            ),
            (("--timeout", "0.2", "--", "sleep", "60"), "was killed after 0.2 s"),
            (("--output-limit", "64 KiB", "-i", "--", "yes"), "was killed after writing more than 64 KiB"),
            (("--prepare", "false", "--", "true"), "--prepare 'false' ended with 1"),
            (("--", "./no-program"), "could not be executed"),
        ],
    )
    def test_failing_program_ends_with_exit_code_13_and_its_output(
        self, measure: Measure, tmp_path: Path, arguments: tuple[str, ...], message: str
    ) -> None:
        nothing = tmp_path / "no-program"
        nothing.write_bytes(b"\x7fELF and then nothing")
        nothing.chmod(0o755)

        ended = measure("-n", "2", *arguments)

        assert ended.code == 13
        assert message in ended.stderr
        assert ended.stdout == ""

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (("--", "no-such-program"), 4, "it is in no folder of PATH"),
            (("sleep", "1"), 2, "ciphermark measure -- sleep 1"),
            (("--json", "--csv", "--", "true"), 2, "standard output"),
            (("-n", "3", "--budget", "1", "--", "true"), 2, "--budget"),
            (("--export-json", "no/folder", "--", "true"), 2, "cannot be written"),
            (("--core", "4000", "--", "true"), 3, "Select one of these: 'measure' by --core"),
            (("--show-output", "--json", "--", "true"), 2, "both go to standard output"),
            (("--export-csv", "-", "--json", "--", "true"), 2, "both go to standard output"),
            (("--show-output", "--output", "null", "--", "true"), 2, "cannot be combined"),
            (("--min-runs", "9", "--max-runs", "8", "--", "true"), 2, "more than"),
            (("--reference-name", "r", "--", "true"), 2, "requires --reference"),
            (("-N", "-S", "sh", "true"), 2, "cannot be combined"),
            (("-S", "no-such-shell", "true"), 4, "no-such-shell"),
            (("-S", "sh", "--", "true"), 2, "without one"),
            (("--input", "missing", "--", "cat"), 4, "does not exist"),
            (("--output", "missing/out", "--", "true"), 4, "does not exist"),
            (("--prepare", "a | b", "--", "true"), 2, "needs a shell"),
            (("--prepare", "true", "--prepare", "true", "--", "true"), 2, "2 --prepare for 1 programs"),
            (("-L", "x", "1,2", "--", "true"), 2, "Write {x} where"),
            (("-L", "x"), 2, "-L needs VAR VALUES"),
            (("-P", "x", "1", "a", "sleep {x}"), 2, "decimal number"),
            (("-D", "0.1", "sleep 1"), 2, "1 steps (-D) for 0 scans"),
            (("-u", "hour", "--", "true"), 2, "millisecond"),
        ],
    )
    def test_invalid_input_is_refused_before_any_execution(
        self, refused_measure: Measure, arguments: tuple[str, ...], code: int, message: str
    ) -> None:
        ended = refused_measure(*arguments)

        assert ended.code == code
        assert message in " ".join(ended.stderr.replace("│", " ").split())


class TestWithoutNumpy:
    NO_NUMPY = ("numpy",)

    def test_one_program_is_measured_without_numpy(self, measure: Measure) -> None:
        assert measure("-n", "1", "--json", "--", "true", missing=self.NO_NUMPY).document["rounds"] == 1

    def test_several_programs_are_refused_with_a_remedy(self, measure: Measure) -> None:
        ended = measure("-n", "1", "/bin/true", "/bin/false", missing=self.NO_NUMPY)

        assert ended.code == 3
        assert "numpy<3,>=2" in "".join(ended.stderr.split())


def _order(document: dict[str, Any]) -> list[tuple[str, str]]:
    executions = [
        (one["position"], program["name"], one["purpose"])
        for program in document["programs"]
        for one in program["executions"]
    ]
    return [(name, purpose) for _, name, purpose in sorted(executions)]
