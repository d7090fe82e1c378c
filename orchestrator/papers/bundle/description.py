"""Contents of bundle.json, and the metadata that research archives read (RO-Crate 1.1). Pure."""

from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field

from orchestrator.papers.schemas import PaperDetail, PaperVerdicts
from orchestrator.shared.values.models import LazyModel
from orchestrator.shared.values.parameters import ID_PATTERN

FORMAT: Literal[2] = 2
"""Format 1 has verdicts by former rules, with former names."""
UNREADABLE = (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""Errors of documents that no export wrote: also of nesting, and of integers with more than 64 bits."""
DESCRIPTION = "bundle.json"
VERDICTS = "verdicts.json"
CRATE = "ro-crate-metadata.json"


class BundleDescription(LazyModel):
    """Identity of a bundle, and the versions that can read it."""

    model_config = ConfigDict(extra="forbid")

    format: Literal[1, 2] = FORMAT
    ciphermark: str
    """Version that made it."""
    revision: str
    """Schema of its tables."""
    paper: str
    run_id: str = Field(pattern=ID_PATTERN)
    made_at: datetime


def crate(
    description: BundleDescription, paper: PaperDetail, found: PaperVerdicts, sizes: dict[str, int]
) -> dict[str, Any]:
    """Return the metadata document (https://w3id.org/ro/crate/1.1); sizes: of each file in bytes."""
    files = [
        {
            "@id": name,
            "@type": "File",
            "name": _WHAT.get(name, f"rows of table {name.partition('/')[2].removesuffix('.jsonl.gz')}"),
            "encodingFormat": _FORMATS[name.rpartition(".")[2]],
            "contentSize": str(size),
        }
        for name, size in sorted(sizes.items())
    ]
    root = {
        "@id": "./",
        "@type": "Dataset",
        "name": f"{paper.name}: run {found.run_id} of Ciphermark",
        "description": f"{paper.summary} Readings of every execution, and the verdict on each claim.",
        "datePublished": description.made_at.isoformat(),
        "license": "Not stated by who exported it.",
        "hasPart": [{"@id": one["@id"]} for one in files],
        "citation": {"@id": "#publication"},
        "creator": {"@id": "#ciphermark"},
    }
    publication = {"@id": "#publication", "@type": "ScholarlyArticle", "name": paper.title, "author": paper.authors}
    if paper.year:
        publication["datePublished"] = str(paper.year)
    program = {
        "@id": "#ciphermark", "@type": "SoftwareApplication", "name": "Ciphermark", "version": description.ciphermark,
    }  # fmt: skip
    about = {
        "@id": CRATE,
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": "./"},
    }
    return {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": [about, root, *files, publication, program]}


_WHAT = {
    DESCRIPTION: "versions that made this bundle",
    VERDICTS: "verdict, estimate and interval of every claim, for each device",
    "paper.json": "claims and published figures",
    "plan.json": "plan as it was submitted, with the seed of the run",
    "environment.json": "devices, toolchains, compile commands and source hashes",
    "report.md": "report for readers",
}
_FORMATS = {"json": "application/json", "md": "text/markdown", "gz": "application/gzip"}
