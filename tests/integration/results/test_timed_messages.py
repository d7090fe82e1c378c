"""The reference implementation and the runners encrypt timed messages alike."""

import pytest

from orchestrator.compilation.reference.third_party import DEFAULT, ZEROS, filled, output_sha256, supports
from orchestrator.wire.runners import LatencyReport
from tests.integration.native.conftest import own, programs, runners  # noqa: F401 - fixtures
from tests.support.runner_programs import Runner


@pytest.mark.parametrize(("fill", "key_fill"), [("zero", "zero"), ("counter", "counter")])
def test_every_algorithm_that_the_third_party_has_agrees(own: Runner, fill: str, key_fill: str) -> None:  # noqa: F811
    algorithms = [algorithm for algorithm in own.available() if supports(algorithm)]
    assert len(algorithms) > 20
    for algorithm in algorithms:
        message = filled(fill, 624)
        assert message is not None
        named = ("--algorithm", algorithm, "--operation", "encrypt", "--length", "624", "--fill", fill)
        ended = own.call("latency", *named, "--key-fill", key_fill, "--min-time-ms", "0.1", "--timings", "1")
        seen = LatencyReport.model_validate_json(ended.stdout).output_sha256
        assert output_sha256(algorithm, message, ZEROS if key_fill == "zero" else DEFAULT) == seen, algorithm
