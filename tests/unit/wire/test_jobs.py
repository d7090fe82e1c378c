"""Jobs contain names instead of commands, and every execution belongs to a case of the job."""

from typing import Any

import pytest
from pydantic import ValidationError

from orchestrator.wire.jobs import JobMessage, latency_input_sha256

PROCESS = {"case_id": 1, "build_key": "1" * 64, "provider": "own", "algorithm": "aes-128-ctr", "variant": "ref",
           "protocol": "process", "operation": "key-setup+encrypt+decrypt", "chunk_sha256": "2" * 64,
           "chunk_bytes": 1024}  # fmt: skip
LATENCY = {"case_id": 2, "build_key": "1" * 64, "provider": "own", "algorithm": "ascon-aead128", "variant": "opt64",
           "protocol": "latency", "operation": "encrypt", "message_bytes": 16, "associated_data_bytes": 0,
           "fill": "counter", "key_fill": "counter", "key_setup": "apart", "timings": 10,
           "min_timing_ms": 10}  # fmt: skip
JOB: dict[str, Any] = {
    "version": 1, "job_id": 7, "run_id": "k3v9x0q2m7ab", "agent_id": "p8w2n5t1c6zd", "timeout_seconds": 60,
    "output_limit_bytes": 1024, "cases": [PROCESS, LATENCY],
    "executions": [{"case_id": 1, "repetition": 1, "position": 0}, {"case_id": 2, "repetition": 1, "position": 1}],
}  # fmt: skip


def test_case_that_was_sent_before_an_upgrade_has_the_operations_of_a_cipher() -> None:
    job = JobMessage.model_validate(JOB | {"cases": [PROCESS | {"operation": "encrypt-decrypt"}, LATENCY]})
    assert job == JobMessage.model_validate(JOB)


def test_execution_without_a_case_is_named() -> None:
    executions = [*JOB["executions"], {"case_id": 3, "repetition": 1, "position": 2}]
    with pytest.raises(ValidationError, match=r"\[3\]"):
        JobMessage.model_validate(JOB | {"executions": executions})


def test_latency_input_is_identified_by_all_its_parameters() -> None:
    names = {
        latency_input_sha256("counter", "counter", 16, 0),
        latency_input_sha256("zero", "counter", 16, 0),
        latency_input_sha256("counter", "zero", 16, 0),
        latency_input_sha256("counter", "counter", 17, 0),
        latency_input_sha256("counter", "counter", 16, 1),
        latency_input_sha256("counter", "counter", 16, 0, "digest"),
        latency_input_sha256("counter", "counter", 16, 0, "encrypt-8"),
        latency_input_sha256("counter", "counter", 16, 0, "encrypt-32"),
        latency_input_sha256("counter", "counter", 16, 0, "encrypt-32-keys"),
    }

    assert len(names) == 9
    # A decryption takes what the encryption gave.
    assert latency_input_sha256("counter", "counter", 16, 0, "decrypt") in names
    assert latency_input_sha256("counter", "counter", 16, 0, "decrypt-32-keys") in names
