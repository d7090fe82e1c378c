"""Runners of the libraries that `make libraries` installs: offers, known answers, and agreement with others."""

from collections import Counter
from pathlib import Path

import pytest

from orchestrator.compilation.reference.third_party import DEFAULT, ZEROS, filled, output_sha256, supports
from orchestrator.wire.runners import LatencyReport, ListReport
from tests.integration.native.test_agreement import COMMON_ALGORITHMS, message_of
from tests.support.runner_programs import Runner

MESSAGE = bytes(i * 7 % 251 for i in range(100_003))


@pytest.fixture(scope="module")
def own_ciphertexts() -> dict[tuple[str, int], bytes]:
    """Return what own ciphers made so far, by algorithm and length: each once for all libraries."""
    return {}


def test_every_algorithm_of_the_catalog_is_offered_or_omitted_with_a_reason(library: Runner) -> None:
    report = ListReport.model_validate(library.list())

    rows = Counter(row.algorithm for row in report.implementations)
    assert rows.keys() == set(COMMON_ALGORITHMS)
    assert set(rows.values()) == {1}
    assert all(row.available or row.reason for row in report.implementations)
    assert report.version[0].isdigit()


def test_ciphertexts_equal_those_of_the_third_party(any_runner: Runner, tmp_path: Path) -> None:
    path = tmp_path / "message"
    path.write_bytes(MESSAGE)
    common = [algorithm for algorithm in any_runner.available() if supports(algorithm)]
    assert len(common) >= 3

    differing = [
        algorithm
        for algorithm in common
        if any_runner.process(algorithm, path)["output_sha256"] != output_sha256(algorithm, [MESSAGE])
    ]
    assert differing == []


@pytest.mark.long
def test_library_agrees_with_own_ciphers(
    library: Runner, own: Runner, own_ciphertexts: dict[tuple[str, int], bytes], tmp_path: Path
) -> None:
    for algorithm, row in library.available().items():
        block = row["block_bytes"]
        unit = block if row["whole_blocks_only"] else 1
        for length in (0, 1, block - 1, block, block + 1, 4 * block + 1, 65_536 + 7, (1 << 20) + 1):
            whole = length - length % unit
            message = message_of(row, whole)
            if (algorithm, whole) not in own_ciphertexts:
                own_ciphertexts[algorithm, whole] = own.crypt("encrypt", algorithm, message, tmp_path)
            ciphertext = library.crypt("encrypt", algorithm, message, tmp_path)
            assert ciphertext == own_ciphertexts[algorithm, whole], (algorithm, whole)


def test_forged_message_is_refused_and_nothing_is_written(any_runner: Runner, tmp_path: Path) -> None:
    aeads = [row for row in any_runner.available().values() if row["kind"] == "aead"]
    assert aeads
    for row in aeads:
        message = message_of(row, 40)
        forged = bytearray(any_runner.crypt("encrypt", row["algorithm"], message, tmp_path))
        forged[-1] ^= 1
        (tmp_path / "forged").write_bytes(forged)
        code, error, _ = any_runner.refusal(
            "crypt", "--algorithm", row["algorithm"], "--operation", "decrypt", "--key", message.key.hex(), "--nonce",
            message.nonce.hex(), "--ad", message.associated_data.hex(), "--in", tmp_path / "forged", "--out",
            tmp_path / "released",
        )  # fmt: skip
        assert (code, error) == (5, "authentication-failed")
        assert not (tmp_path / "released").exists()


@pytest.mark.parametrize(("fill", "key_fill"), [("zero", "zero"), ("counter", "counter")])
def test_timed_messages_equal_those_of_the_third_party(own: Runner, fill: str, key_fill: str) -> None:
    algorithms = [algorithm for algorithm in own.available() if supports(algorithm)]
    assert len(algorithms) > 20
    for algorithm in algorithms:
        message = filled(fill, 624)
        assert message is not None
        named = ("--algorithm", algorithm, "--operation", "encrypt", "--length", "624", "--fill", fill)
        ended = own.call("latency", *named, "--key-fill", key_fill, "--min-time-ms", "0.1", "--timings", "1")
        seen = LatencyReport.model_validate_json(ended.stdout).output_sha256
        assert output_sha256(algorithm, message, ZEROS if key_fill == "zero" else DEFAULT) == seen, algorithm
