"""Runners are described by what they list; a list that is not understood refuses the build with the reason."""

import json
from pathlib import Path
from typing import Any

import pytest

from orchestrator.compilation.native.programs import read_listing
from orchestrator.compilation.proofs import prove_implementation
from orchestrator.shared.errors import BuildFailed

DIGEST = {"name": "digest", "inputs": ["message"], "check": "digest"}


@pytest.mark.parametrize(
    ("operations", "executed", "words"),
    [
        ([DIGEST | {"name": "mac"}], "digest", "process executes digest; expected each once of mac"),
        ([DIGEST | {"name": "load"}], "load", "process executes load"),
        ([DIGEST, DIGEST], "digest", "two operations are named digest"),
        ([DIGEST | {"check": "eyes"}], "digest", "expected 'digest', 'inverse' or 'verification'"),
        ([DIGEST | {"inputs": ["moon"]}], "digest", "operations[0].inputs[0]: expected 'message'"),
        ([DIGEST | {"name": "Digest!"}], "digest", "operations[0].name: expected lower-case letters and digits"),
    ],
)
def test_unknown_operation_refuses_build(tmp_path: Path, operations: list[Any], executed: str, words: str) -> None:
    row = {"algorithm": "sha-256", "variant": "openssl", "kind": "hash", "available": True, "operations": operations}
    row["process"] = [executed]
    listing = {"protocol": 2, "provider": "hashlib", "version": "1", "build": {}, "implementations": [row]}
    program = tmp_path / "list.json"
    program.write_text(json.dumps(listing))

    with pytest.raises(BuildFailed) as refused:
        read_listing("ciphermark-hashlib", ["sh", "-c", f"cat {program}"])

    assert words in str(refused.value)[:200], "the heartbeat has room for so much"


@pytest.mark.parametrize(("answers", "detail"), [(["ab" * 32, "cd" * 32], ""), (["ab" * 32, "cd" * 31], "31 bytes")])
def test_answer_of_another_length_than_declared_is_no_proof(answers: list[str], detail: str) -> None:
    kat = ["sh", "-c", f"printf 'CT = %s\\n' {' '.join(answers)}"]

    proof = prove_implementation(kat, "hashlib", "sha-256", "openssl", frozenset({32}))

    assert proof.passed == (not detail)
    assert detail in proof.detail
