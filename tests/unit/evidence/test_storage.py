"""Stored evidence is found by the SHA-256 of the sources that it examined, and by nothing else."""

from pathlib import Path

from orchestrator.compilation.evidence.storage import evidence_path, read_evidence, store_evidence
from tests.support.masking_evidence import SOURCE, evidence


def test_evidence_is_read_as_it_was_stored(tmp_path: Path) -> None:
    assert read_evidence(tmp_path, SOURCE) is None
    stored = evidence()
    assert store_evidence(tmp_path, stored) == evidence_path(tmp_path, SOURCE)
    assert read_evidence(tmp_path, SOURCE) == stored
    assert read_evidence(tmp_path, "6" * 64) is None


def test_evidence_of_other_sources_under_a_wrong_name_is_none(tmp_path: Path) -> None:
    path = store_evidence(tmp_path, evidence())
    path.rename(evidence_path(tmp_path, "6" * 64))
    assert read_evidence(tmp_path, "6" * 64) is None


def test_damaged_evidence_is_none(tmp_path: Path) -> None:
    path = store_evidence(tmp_path, evidence())
    path.write_text(path.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    assert read_evidence(tmp_path, SOURCE) is None
