"""Stored evidence: ``<cache_folder>/evidence/<SHA-256 of the runners' sources>.json``, written by
``ciphermark runners evidence``. Every request reads the file, so that a new report needs no restart of the service.
"""

from pathlib import Path

from orchestrator.compilation.evidence.report import Evidence
from orchestrator.shared.files.stored import StoredDocument

_STORED = StoredDocument[Evidence](Evidence)


def evidence_path(cache_folder: Path, source_sha256: str) -> Path:
    """Return the path of the evidence for this state of the sources."""
    return cache_folder / "evidence" / f"{source_sha256}.json"


def store_evidence(cache_folder: Path, evidence: Evidence) -> Path:
    """Store evidence in place of an earlier report for the same sources; return its path."""
    path = evidence_path(cache_folder, evidence.source_sha256)
    path.parent.mkdir(parents=True, exist_ok=True)
    _STORED.write(path, evidence)
    return path


def read_evidence(cache_folder: Path, source_sha256: str) -> Evidence | None:
    """Return the evidence for this state of the sources; None if there is none or its file is damaged."""
    evidence = _STORED.read(evidence_path(cache_folder, source_sha256))
    return evidence if evidence is not None and evidence.source_sha256 == source_sha256 else None
