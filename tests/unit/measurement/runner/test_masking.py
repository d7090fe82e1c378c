"""Masked executions: the command has the form, the report repeats it, and the random bytes are readings."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrator.measurement.runner.commands import ProcessCommand
from orchestrator.shared.values.forms import Form
from orchestrator.wire.metrics.phases import reading_refusal
from tests.unit.measurement.runner.test_latency_report import COMMAND, outcome

FORM = Form(3, "full", "chacha20")
MASKED = replace(COMMAND, form=FORM)
REPORT: dict[str, Any] = {
    "shares": 3, "degree": "full", "generator": "chacha20", "random_bytes": 8760, "random_wall_ns": 612.5,
}  # fmt: skip


def test_commands_have_the_options_of_the_form() -> None:
    options = ("--shares", "3", "--masking", "full", "--generator", "chacha20")
    assert MASKED.arguments() == (*COMMAND.arguments(), *options)
    process = ProcessCommand(
        program=Path("/runners/ciphermark-own"), provider="own", algorithm="ascon-128", variant="masked64",
        timeout_seconds=20.0, output_limit_bytes=65536, input_file=Path("/chunk"), input_bytes=16, form=FORM,
    )  # fmt: skip
    assert process.arguments() == (
        "/runners/ciphermark-own", "process", "--algorithm", "ascon-128", "--variant", "masked64", *options, "--in",
        "/chunk",
    )  # fmt: skip


def test_random_bytes_and_their_time_are_readings() -> None:
    readings, failure = outcome(MASKED, masking=REPORT)
    assert failure is None
    found = {name: readings.readings[name] for name in ("random_bytes", "random_wall_ns")}
    assert found == {"random_bytes": 8760, "random_wall_ns": 612.5}
    assert [reading_refusal(name, value) for name, value in found.items()] == [None, None]


def test_report_of_another_form_is_a_failure() -> None:
    for command, report, detail in (
        (MASKED, REPORT | {"shares": 2}, "executed the variant · 2 shares · full · chacha20, expected the variant · 3"),
        (MASKED, REPORT | {"generator": "free"}, "3 shares · full · free, expected"),
        (MASKED, None, "executed the unmasked variant, expected the variant · 3 shares · full · chacha20"),
        (COMMAND, REPORT, "chacha20, expected the unmasked variant"),
    ):
        _, failure = outcome(command, masking=report)
        assert failure is not None
        assert failure.error == "protocol-mismatch"
        assert detail in failure.detail
