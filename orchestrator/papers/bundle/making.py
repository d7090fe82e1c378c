"""Making of a bundle from a stored run."""

import json
import os
import tempfile
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from orchestrator import __version__
from orchestrator.database.engine import Database
from orchestrator.database.revision import expected_revision
from orchestrator.papers import service
from orchestrator.papers.bundle import archive, repository
from orchestrator.papers.bundle.description import CRATE, DESCRIPTION, VERDICTS, BundleDescription, crate
from orchestrator.papers.reporting.markdown import markdown
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.results.freshness.service import include
from orchestrator.shared.errors import Overloaded

RETRY_SECONDS = 30
_making = threading.Lock()
"""One bundle at a time: each takes the processor, and up to three times its size on the disk."""


def bundle_file(database: Database, name: str, run_id: str) -> Path:
    """Return a temporary file with the bundle of a run, which the caller deletes.

    Raises NotFound, and Overloaded while another bundle is made.
    """
    if not _making.acquire(blocking=False):
        raise Overloaded(
            "Another bundle is being made.", remedy="Try again in half a minute.", retry_after_seconds=RETRY_SECONDS
        )
    try:
        number, path = tempfile.mkstemp(prefix="ciphermark-", suffix=".zip")
        os.close(number)
        try:
            make_bundle(database, name, run_id, Path(path))
        except BaseException:
            Path(path).unlink()
            raise
        return Path(path)
    finally:
        _making.release()


def make_bundle(database: Database, name: str, run_id: str, target: Path) -> None:
    """Write the bundle of a run; raises NotFound.

    The verdicts are computed from the rows in the bundle, not from the database: a reader gets what is in it.
    """
    service.require_run(database, name, run_id)
    with tempfile.TemporaryDirectory(prefix="ciphermark-bundle-") as made_in:
        folder, file = Path(made_in) / "bundle", Path(made_in) / "rows.sqlite"
        (folder / "tables").mkdir(parents=True)
        rows = Database(f"sqlite:///{file}")
        try:
            repository.copy_run(database, run_id, rows)
            repository.write_tables(file, folder / "tables")
            include(rows, repository.count_every_execution(rows))
            _write_documents(rows, name, run_id, folder)
        finally:
            rows.close()
        archive.list_sums(folder)
        archive.pack(folder, target)


def _write_documents(rows: Database, name: str, run_id: str, folder: Path) -> None:
    found = service.get_verdicts(rows, ReadingsCache(), name, run_id)
    paper = service.get_paper(name)
    plan, environment = repository.conditions(rows, run_id)
    description = BundleDescription(
        ciphermark=__version__, revision=expected_revision(), paper=name, run_id=run_id, made_at=datetime.now(UTC)
    )
    _write(folder / DESCRIPTION, description)
    _write(folder / VERDICTS, found)
    _write(folder / "paper.json", paper)
    _write(folder / "plan.json", plan)
    _write(folder / "environment.json", environment)
    (folder / "report.md").write_text(markdown(paper, [found]), encoding="utf-8")
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    _write(folder / CRATE, crate(description, paper, found, sizes))


def _write(path: Path, document: BaseModel | dict[str, Any]) -> None:
    value = document.model_dump(mode="json") if isinstance(document, BaseModel) else document
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
