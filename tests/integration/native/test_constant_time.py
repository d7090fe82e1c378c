"""``constant-time`` of the runners, under a real valgrind and without."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.wire.runners import RunnerConstantTime
from tests.support.runner_programs import Runner

TABLES, BITSLICED, AEAD = "aes-128-ctr/ref", "aes-128-ctr/bitsliced64", "ascon-128/masked64"
SCRIPT = "valgrind --quiet --error-limit=no --log-file=/dev/null"
needs_valgrind = pytest.mark.skipif(
    shutil.which("valgrind") is None or not Path("/usr/include/valgrind/memcheck.h").exists(),
    reason="valgrind and its headers are not installed",
)


def examine(runner: Runner, *implementations: str, calls: int = 1000) -> list[RunnerConstantTime]:
    """Return the reports of ``constant-time``, in order."""
    ended = runner.call("constant-time", "--implementations", ",".join(implementations), "--calls", str(calls))
    assert ended.returncode == 0, ended.stderr
    return [RunnerConstantTime.model_validate_json(line) for line in ended.stdout.splitlines()]


def under_valgrind(runner: Runner) -> Runner:
    """Return the same program under memcheck."""
    valgrind = shutil.which("valgrind") or "valgrind"
    return replace(runner, under=(valgrind, *SCRIPT.split()[1:]))


@needs_valgrind
class TestUnderValgrind:
    def test_tables_are_found_and_bitslices_are_not(self, own: Runner) -> None:
        tables, bitsliced, masked = examine(under_valgrind(own), TABLES, BITSLICED, AEAD)
        assert (tables.variant, bitsliced.variant, masked.variant) == ("ref", "bitsliced64", "masked64")
        assert tables.secrets is not None
        assert tables.secrets.errors > 0
        # The first message shows it; what is loaded from a secret address counts as public.
        assert tables.secrets.message_bytes == [21]
        for report in (bitsliced, masked):
            assert report.secrets is not None
            assert report.secrets.errors == 0
            # One, two and nine blocks and 4 KiB.
            assert len(report.secrets.message_bytes) == 4
            assert max(report.secrets.message_bytes) > 4096
        assert masked.masking is not None
        assert masked.secrets is not None
        assert masked.secrets.associated_data_bytes > 0
        assert bitsliced.timing is None

    def test_a_variant_whose_instructions_valgrind_hides_is_unknown(self, own: Runner) -> None:
        (native,) = examine(own, TABLES)
        (emulated,) = examine(under_valgrind(own), TABLES)
        hidden = set(native.cpu_features) - set(emulated.cpu_features)
        rows = own.list()["implementations"]
        of_hidden = [row for row in rows if row["available"] and set(row["requires"]) & hidden]
        if not of_hidden:
            pytest.skip("valgrind executes all instructions of this processor")
        (report,) = examine(under_valgrind(own), f"{of_hidden[0]['algorithm']}/{of_hidden[0]['variant']}")
        assert report.secrets is None
        assert report.secrets_reason

    def test_a_tool_that_reports_nothing_is_not_believed(self, own: Runner) -> None:
        nothing = replace(own, under=(*under_valgrind(own).under, "--tool=none"))
        (report,) = examine(nothing, BITSLICED)
        assert report.secrets is None
        assert "memcheck" in (report.secrets_reason or "")

    @pytest.mark.parametrize("planted", ["leaking"], indirect=True)
    def test_a_planted_leak_is_found(self, planted: Runner) -> None:
        (report,) = examine(under_valgrind(planted), BITSLICED)
        assert report.claimed
        assert report.secrets is not None
        assert report.secrets.encrypt_errors > 0
        assert report.secrets.decrypt_errors == 0


class TestWithoutValgrind:
    def test_times_are_compared(self, own: Runner) -> None:
        for report in examine(own, TABLES, BITSLICED, calls=2000):
            assert report.timing is not None
            assert report.timing.calls == 2000
            assert report.secrets is None
            assert "valgrind" in (report.secrets_reason or "")

    @pytest.mark.parametrize(
        ("names", "code", "error"),
        [
            ("aes-128-ctr", 2, "usage"),
            ("aes-129-ctr/ref", 3, "unknown-algorithm"),
            ("aes-128-ctr/fastest", 3, "unknown-variant"),
        ],
    )
    def test_unknown_names_are_refused_before_anything_is_executed(
        self, own: Runner, names: str, code: int, error: str
    ) -> None:
        ended = own.call("constant-time", "--implementations", f"{BITSLICED},{names}")
        assert (ended.returncode, ended.stdout) == (code, b"")
        assert json.loads(ended.stderr)["error"] == error
