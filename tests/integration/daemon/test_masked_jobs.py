"""Masked cases with real runners: measured in every form, with the ciphertext of the unmasked cipher."""

import hashlib
import subprocess
from pathlib import Path
from typing import Any

import pytest

from orchestrator.compilation.installed import InstalledBuild
from orchestrator.daemon.builds.challenges import answer_all
from orchestrator.shared.values.forms import Form
from orchestrator.wire.builds import Challenge, challenge_message
from orchestrator.wire.jobs import JobMessage
from orchestrator.wire.metrics.phases import reading_refusal
from tests.support.daemon_bench import CHUNK, CHUNK_SHA256, DaemonBench, a_job

ALGORITHM, VARIANT = "ascon-128", "masked64"
FORMS = (Form(2, "full", "chacha20"), Form(3, "init-final", "free"), Form(3, "full", "system"))


def a_masked_job(build: InstalledBuild, *forms: Form) -> JobMessage:
    """Return a job with the unmasked cipher, then each form: an encryption of 16 bytes and one of the chunk."""
    common: dict[str, Any] = {"build_key": build.build_key, "provider": "own", "algorithm": ALGORITHM}
    cases = []
    for form in (Form(), *forms):
        of_form = common | form.fields | {"variant": VARIANT if form.shares else "opt64"}
        cases.append(
            of_form
            | {"case_id": len(cases) + 1, "protocol": "latency", "operation": "encrypt", "message_bytes": 16,
               "associated_data_bytes": 0, "fill": "counter", "key_fill": "counter", "key_setup": "included",
               "timings": 2, "min_timing_ms": 0.5}
        )  # fmt: skip
        cases.append(
            of_form
            | {"case_id": len(cases) + 1, "protocol": "process", "operation": "key-setup+encrypt+decrypt",
               "chunk_sha256": CHUNK_SHA256, "chunk_bytes": len(CHUNK)}
        )  # fmt: skip
    executions = [{"case_id": case["case_id"], "repetition": 1, "position": n} for n, case in enumerate(cases)]
    return a_job(build, 1, cases=cases, executions=executions)


def test_forms_are_measured_and_have_the_ciphertext_of_the_unmasked_cipher(bench: DaemonBench) -> None:
    bench.chunks.put_stream([CHUNK])
    assert bench.execute(a_masked_job(bench.build, *FORMS)) == "done"
    records = {record.case_id: record for record in bench.records()}
    assert {(record.state, record.failure) for record in records.values()} == {("ok", None)}
    for protocol in (1, 2):
        found = [records[protocol + 2 * place] for place in range(len(FORMS) + 1)]
        assert len({record.output_sha256 for record in found}) == 1
        unmasked, *masked = found
        assert "random_bytes" not in unmasked.readings
        for record in masked:
            assert (record.readings["random_bytes"] or 0) > 0
            assert (record.readings["random_wall_ns"] or 0) > 0
            assert not [name for name, value in record.readings.items() if reading_refusal(name, value)]
    two, three = records[3].readings["random_bytes"], records[7].readings["random_bytes"]
    assert two is not None
    assert three is not None
    # A multiplication takes a random word for each pair of shares.
    assert three > 2 * two


@pytest.mark.parametrize("form", FORMS)
def test_challenge_in_a_form_is_answered_with_the_ciphertext_of_the_unmasked_cipher(
    bench: DaemonBench, form: Form, tmp_path: Path
) -> None:
    seed, length = "5" * 32, 321
    key, nonce = (hashlib.sha256(name).hexdigest()[:32] for name in (b"key", b"nonce"))
    challenge = Challenge(
        id=1, provider="own", algorithm=ALGORITHM, variant=VARIANT, **form.fields, key=key, nonce=nonce, seed=seed,
        message_bytes=length,
    )  # fmt: skip
    (answer,) = answer_all(bench.build, [challenge])
    source, target = tmp_path / "in", tmp_path / "out"
    source.write_bytes(challenge_message(seed, length))
    subprocess.run(
        [bench.build.programs["own"], "crypt", "--algorithm", ALGORITHM, "--variant", "opt64", "--operation", "encrypt",
         "--key", key, "--nonce", nonce, "--in", source, "--out", target], check=True,
    )  # fmt: skip
    assert (answer.error, answer.output_sha256) == ("", hashlib.sha256(target.read_bytes()).hexdigest())
