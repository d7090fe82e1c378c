"""Reference ciphertexts equal those of real runners: default key, nonce, padding and tag."""

import hashlib
import json
from pathlib import Path

from orchestrator.compilation.reference.third_party import output_sha256, supports
from tests.support.runner_programs import Runner

MESSAGE = bytes(i * 7 % 251 for i in range(100_003))


def test_every_algorithm_that_the_third_party_has_agrees(runner: Runner, tmp_path: Path) -> None:
    path = tmp_path / "message"
    path.write_bytes(MESSAGE)
    common = [algorithm for algorithm in runner.available() if supports(algorithm)]
    assert len(common) >= 18  # AES in five modes and three key sizes, three ChaCha20s
    differing = [
        algorithm
        for algorithm in common
        if runner.process(algorithm, path)["output_sha256"] != output_sha256(algorithm, [MESSAGE])
    ]
    assert differing == []


def test_noop_hands_its_input_on(runner: Runner, tmp_path: Path) -> None:
    path = tmp_path / "message"
    path.write_bytes(MESSAGE)
    said = json.loads(runner.call("noop", "--in", path).stdout)
    assert said["output_sha256"] == hashlib.sha256(MESSAGE).hexdigest()
