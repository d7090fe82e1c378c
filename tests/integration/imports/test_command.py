"""`ciphermark imports`: add, list, show, delete, and a comparison, against a real service."""

import gzip
import json
from pathlib import Path

import pytest

from orchestrator.results.imports.document import MAX_FILE_BYTES
from orchestrator.results.imports.schemas import NOT_VERIFIED
from orchestrator.shared.errors import Conflict, InvalidRequest, NotFound
from tests.support.commands import Command, command_of, printed, succeeded
from tests.support.import_files import FOLDER
from tests.support.latency_results import Shape as CallShape
from tests.support.latency_results import fill_calls
from tests.support.live_service import Served

CALLS = "calls0000001"


@pytest.fixture
def command(fresh: Served, tmp_path: Path) -> Command:
    return command_of(fresh, "submitter", tmp_path / "token")


def added(command: Command, name: str, *options: str) -> str:
    return str(json.loads(succeeded(command("imports", "add", str(FOLDER / name), *options, "--json")))["id"])


def test_added_file_is_listed_shown_and_deleted(command: Command) -> None:
    text = printed(command("imports", "add", str(FOLDER / "google-benchmark.json"), "--device", "Pi 4"))
    assert "Imported 8 series of Google Benchmark with" in text
    assert "needs_counters has no result: no counters here." in text
    listed = printed(command("imports", "list"))
    assert "Google Benchmark google-benchmark.json Pi 4 8" in listed
    import_id = json.loads(succeeded(command("imports", "list", "--json")))[0]["id"]
    shown = printed(command("imports", "show", import_id))
    assert NOT_VERIFIED in shown
    assert "One iteration of the benchmark" in shown
    assert "xor_bytes/16384 wall time" in shown
    assert "is deleted" in printed(command("imports", "delete", import_id, "--yes"))
    assert json.loads(succeeded(command("imports", "list", "--json"))) == []


def test_comparison_prints_its_limits_first_and_marks_the_import(command: Command, fresh: Served) -> None:
    fill_calls(fresh.database, CallShape(run_id=CALLS, agent="pi4"))
    import_id = added(command, "pyperf.json")
    text = printed(command("compare", "latest", f"import:{import_id}/1", "--rows", "2"))
    assert text.index("One reading of pyperf") < text.index("ratio")
    assert "sha256-64, wall time (pyperf) compared with" in text
    assert "imported tinyjambu-128 scalar" in text
    assert NOT_VERIFIED in text
    assert "Other measures (--measure …): call-cpu, cold-call." in text  # In the unit of the series.
    document = json.loads(succeeded(command("compare", CALLS, f"import:{import_id}/1", "--json")))
    assert document["parts"][0]["other"]["run_id"] == import_id


def test_compressed_file_is_read(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "data.gz"
    path.write_bytes(gzip.compress((FOLDER / "pyperf.json").read_bytes()))
    assert "Imported 2 series of pyperf" in printed(command("imports", "add", str(path)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b" " * (MAX_FILE_BYTES + 1), mtime=0), "has more than 8 MiB"),
        (b" " * (MAX_FILE_BYTES + 1), "has more than 8 MiB"),
        (gzip.compress(b"{}" * 5000, mtime=0)[:-9], "is no whole gzip file"),
        (b"\x1f\x8b garbage", "is no whole gzip file"),
        (b"\xff\xfe{}", "is no UTF-8 text at byte 0"),
        (b"{}", "No known tool writes such a file"),
        (None, "cannot be read"),
    ],
)
def test_file_that_cannot_be_imported_is_an_error(
    command: Command, tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "file"
    if content is not None:
        path.write_bytes(content)
    refusal = command("imports", "add", str(path)).exception
    assert isinstance(refusal, NotFound if content is None else InvalidRequest)
    assert message in refusal.detail
    assert refusal.remedy
    assert json.loads(succeeded(command("imports", "list", "--json"))) == []


def test_second_import_and_unknown_id_are_errors(command: Command) -> None:
    added(command, "pyperf.json")
    assert isinstance(command("imports", "add", str(FOLDER / "pyperf.json")).exception, Conflict)
    assert isinstance(command("imports", "show", "nothing00000").exception, NotFound)
    assert isinstance(command("imports", "delete", "nothing00000", "--yes").exception, NotFound)
