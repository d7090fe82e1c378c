"""Pages of bundles for readers without a service: the report of each, computed from its readings, and an index."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator import __version__
from orchestrator.papers import service
from orchestrator.papers.bundle.description import UNREADABLE
from orchestrator.papers.reporting.schemas import PaperReport
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.shared.errors import BundleDamaged
from orchestrator.shared.values.text import visible_document
from orchestrator.web.papers.reports.page import report_page
from orchestrator.web.rendering import render

if TYPE_CHECKING:  # The service imports all modules of pages, but not the migrations that opening a bundle needs.
    from orchestrator.papers.bundle.opening import OpenedBundle


@dataclass(frozen=True)
class BundlePage:
    """The report of a bundle as a page."""

    report: PaperReport
    proof: str
    """What vouches for its readings."""
    text: str
    """HTML without scripts and addresses."""

    @property
    def file_name(self) -> str:
        """Name of its file next to the index: of paper and run."""
        return f"{self.report.paper.name}-{self.report.runs[0].found.run_id}.html"


def bundle_page(bundle: "OpenedBundle", proof: str) -> BundlePage:
    """Return the report of a bundle, computed from its rows; raises BundleDamaged.

    proof: what its signature proves, and what it does not (`BundleVerification.proof`).
    """
    description, rows = bundle.description, bundle.rows
    try:
        found = service.get_report(rows, ReadingsCache(), description.paper, [description.run_id])
    except UNREADABLE as error:
        raise BundleDamaged(f"The rows of the bundle give no report: {error}.") from error
    # Another service wrote the texts.
    report = PaperReport.model_validate(visible_document(found.model_dump(mode="json")))
    return BundlePage(report, proof, report_page(report, proof))


def index_page(pages: Sequence[BundlePage]) -> str:
    """Return the index of the pages, whose files are next to it, as HTML."""
    return render("papers/site.html", pages=pages, version=__version__)
