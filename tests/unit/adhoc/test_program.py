from pathlib import Path

import pytest

from orchestrator.cli.adhoc.instrument import find_launcher, of_program, without_core
from orchestrator.cli.adhoc.program import MAX_VARIABLES, ProgramCommand, passable, program_outcome
from orchestrator.measurement.instrument.measure import Measurement
from orchestrator.measurement.launch.launcher import Launched
from tests.support.adhoc_series import NOW, TRUE
from tests.unit.measurement.runner import test_process_report

COMMAND = ProgramCommand(TRUE, "local", "true", "none", 2.5, 65536, words=("/bin/true",))


def launched(stderr: bytes = b"", **fields: object) -> Launched:
    usage = {"minor_faults": 6, "major_faults": 7, "voluntary_switches": 8, "involuntary_switches": 9}
    times = {"spawn_ns": 100, "end_ns": 1100, "user_us": 3, "system_us": 4, "max_rss_bytes": 5}
    return Launched(test_process_report.ended(**{**usage, **times, "stderr_bytes": len(stderr), **fields}), b"", stderr)


class TestOutcome:
    @pytest.mark.parametrize(
        ("fields", "error", "detail"),
        [
            ({"exit_code": 2}, "exit-code", "ended with exit code 2"),
            ({"exit_code": None, "signal": 11}, "signal", "was ended by signal 11"),
            ({"exit_code": None, "signal": 9, "timed_out": True}, "timeout", "was killed after 2.5 s"),
            ({"exit_code": None, "signal": 9, "output_exceeded": True}, "output-exceeded", "more than 64 KiB"),
        ],
    )
    def test_failure_keeps_its_readings(self, fields: dict[str, object], error: str, detail: str) -> None:
        readings, failure = program_outcome(COMMAND, launched(b"why\xff", **fields))

        assert failure is not None
        assert failure.error == error
        assert detail in failure.detail
        assert failure.stderr_tail == "why\N{REPLACEMENT CHARACTER}"
        assert readings.columns == {"process_wall_ns": 1000}
        assert readings.readings["process_user_ns"] == 3000

    @pytest.mark.parametrize(("printed", "others"), [(b"", 7), (b"x" * 3 * 4096, 4), (b"x" * 10**6, 0)])
    def test_switches_to_the_launcher_are_not_a_disturbance(self, printed: bytes, others: int) -> None:
        """The launcher uses the same core: /bin/true was marked as preempted in 460 of 500 executions."""
        seen = launched()

        readings, _ = program_outcome(COMMAND, Launched(seen.ended, printed, seen.stderr))

        assert readings.involuntary_switches == others
        assert readings.readings["process_involuntary_switches"] == 9


class TestReadings:
    def test_peak_is_that_of_the_process_with_its_bound(self) -> None:
        readings: dict[str, int | float | None] = {
            "process_peak_rss_bytes": 7_000,
            "process_peak_rss_error_bytes": 300,
            "curve_peak_rss_bytes": None,
            "launcher_peak_disagreement_bytes": None,
        }
        absent = {"launcher_peak_disagreement_bytes": "x", "curve_peak_rss_bytes": "the runner ended"}

        seen = of_program(Measurement(NOW, {}, readings, absent, [], None, None, None, None))

        assert (seen.readings["peak_rss_bytes"], seen.readings["peak_rss_error_bytes"]) == (7_000, 300)
        assert "launcher_peak_disagreement_bytes" not in seen.readings
        assert seen.absent == {"curve_peak_rss_bytes": "the program ended"}

    def test_without_core_only_its_marks_and_readings_are_removed(self) -> None:
        readings: dict[str, int | float | None] = {"others_cpu_ns": 5, "migrations": 2, "samples": 3}
        marks = ["migrated", "others-on-core", "major-fault"]

        seen = without_core(Measurement(NOW, {}, readings, {}, marks, None, None, None, None))

        assert seen.marks == ["major-fault"]
        assert seen.readings == {"others_cpu_ns": None, "migrations": None, "samples": 3}
        assert seen.absent.keys() == {"others_cpu_ns", "migrations"}


class TestEnvironment:
    def test_variables_beyond_the_launchers_limits_are_named(self) -> None:
        passed, left_out = passable({"A": "b", "F": "() {\n}", "N\n": "", "L": "x" * 70_000, "B": "c"})

        assert passed == {"A": "b", "F": "() {\n}", "B": "c"}
        assert left_out == ["N\n", "L"]

    def test_number_of_variables_is_limited(self) -> None:
        passed, left_out = passable({f"V{number}": "" for number in range(MAX_VARIABLES + 2)})

        assert len(passed) == MAX_VARIABLES
        assert left_out == [f"V{MAX_VARIABLES}", f"V{MAX_VARIABLES + 1}"]


class TestLauncher:
    def test_launcher_of_the_newest_build_is_found(self, tmp_path: Path) -> None:
        import os

        for age, key in enumerate("abc"):
            folder = tmp_path / "builds" / key
            folder.mkdir(parents=True)
            (folder / "build.json").touch()
            os.utime(folder / "build.json", (1000 - age, 1000 - age))
            if key != "a":
                (folder / "ciphermark-launcher").touch(mode=0o755)

        assert find_launcher(tmp_path) == tmp_path / "builds" / "b" / "ciphermark-launcher"
