"""Output of runners: older reports without later fields are accepted, other protocol versions are refused."""

import pytest
from pydantic import ValidationError

from orchestrator.wire.runners import ListReport, PhaseCounts, ProcessReport

USAGE = {"user_us": 1, "system_us": 0, "minor_faults": 0, "major_faults": 0, "voluntary_switches": 0,
         "involuntary_switches": 0}  # fmt: skip
PROCESS = {
    "protocol": 2, "command": "process", "provider": "own", "algorithm": "aes-128-ctr", "variant": "ref",
    "input_bytes": 16, "padded_bytes": 16, "output_bytes": 16,
    "stamps_ns": {"main": 1, "load": 2, "key_setup": 3, "encrypt": 4, "decrypt": 5},
    "begins_ns": {"load": 1, "key_setup": 2, "encrypt": 3, "decrypt": 4},
    "phases": [{"phase": "start", "rss_bytes": None, **USAGE}], "peak_rss_bytes": None, "baseline_rss_bytes": None,
    "buffers_bytes": 48, "cycles": {"reason": "not permitted"}, "instructions": {"encrypt": 7, "decrypt": 8},
    "output_sha256": "0" * 64, "verified": True,
}  # fmt: skip


def test_report_without_later_fields_is_accepted() -> None:
    report = ProcessReport.model_validate(PROCESS)

    assert report.counters == {}
    assert report.cycles == PhaseCounts(reason="not permitted")


@pytest.mark.parametrize(
    "change",
    [{"protocol": 3}, {"phases": []}, {"output_sha256": "x"}, {"input_bytes": -1}, {"instructions": {"encrypt": 0.0}}],
)
def test_other_protocol_and_impossible_values_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ProcessReport.model_validate(PROCESS | change)


def test_listing_contains_algorithms_that_the_provider_lacks() -> None:
    row = {"algorithm": "spook-128-512-su", "variant": None, "available": False, "reason": "not in this provider"}
    listing = {"protocol": 2, "provider": "own", "version": "1", "build": {}, "implementations": [row]}

    (implementation,) = ListReport.model_validate(listing).implementations
    assert (implementation.available, implementation.key_bytes) == (False, 0)
