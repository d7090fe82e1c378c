"""Stored evidence: ``<cache_folder>/evidence/<SHA-256 of the runners' sources>.json``, written by
``ciphermark runners evidence``. Every request reads the file, so that a new report needs no restart of the service.
"""

from pathlib import Path

import structlog
from pydantic import ValidationError

from orchestrator.compilation.evidence.report import Evidence
from orchestrator.shared.files.private import write_private

_log = structlog.get_logger(__name__)


def evidence_path(cache_folder: Path, source_sha256: str) -> Path:
    """Return the path of the evidence for this state of the sources."""
    return cache_folder / "evidence" / f"{source_sha256}.json"


def store_evidence(cache_folder: Path, evidence: Evidence) -> Path:
    """Store evidence in place of an earlier report for the same sources; return its path."""
    path = evidence_path(cache_folder, evidence.source_sha256)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(path, evidence.model_dump_json(indent=1))
    return path


def read_evidence(cache_folder: Path, source_sha256: str) -> Evidence | None:
    """Return the evidence for this state of the sources; None if there is none or its file is damaged."""
    path = evidence_path(cache_folder, source_sha256)
    try:
        evidence = Evidence.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        _log.error("evidence of masking is damaged", path=str(path), error=str(error))
        return None
    return evidence if evidence.source_sha256 == source_sha256 else None
