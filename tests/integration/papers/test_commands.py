"""`ciphermark papers`: list, show, preview, run and report against a service with filled runs."""

import json
from pathlib import Path

import pytest

from orchestrator.cli.exit_codes import ExitCode
from orchestrator.database.models import Run
from orchestrator.papers.schemas import PaperVerdicts
from orchestrator.shared.errors import InvalidRequest, NotFound
from orchestrator.shared.units import KIB, MIB
from tests.support import latency_results
from tests.support.commands import Command, succeeded
from tests.support.live_service import Served
from tests.support.offers import add_agent, add_chunks

CALLS = latency_results.Shape(repetitions=8)


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    with served.database.write() as session:
        add_agent(session)
    sizes = [128 * KIB, 256 * KIB, 512 * KIB, MIB, 2 * MIB, 4 * MIB, 8 * MIB]
    add_chunks(served.settings.corpus_folder, ("random", "audio", "video", "text"), sizes)
    latency_results.fill_calls(served.database, CALLS)
    return served


def test_papers_are_listed_and_shown(command: Command) -> None:
    listed = json.loads(succeeded(command("list", "--json")))
    text = succeeded(command("list"))
    assert all(one["name"] in text for one in listed)

    shown = succeeded(command("show", "tinyjambu-compilers"))
    assert "Clang is slightly faster than GCC" in shown
    assert "0 of 1089 known answers" in shown
    assert json.loads(succeeded(command("show", "tinyjambu-compilers", "--json")))["name"] == "tinyjambu-compilers"


def test_preview_has_fewer_executions_at_quick_scale(command: Command) -> None:
    full, quick = (
        json.loads(succeeded(command("preview", "evalme-2021", "--scale", scale, "--json")))
        for scale in ("full", "quick")
    )
    assert 0 < quick["executions_total"] < full["executions_total"]
    assert "executions" in succeeded(command("preview", "evalme-2021", "--agent", "pi"))


def test_further_plan_is_previewed_in_place_of_the_own_one(command: Command) -> None:
    own, watching = (
        json.loads(succeeded(command("preview", "evalme-2021", *plan, "--json")))
        for plan in ((), ("--plan", "evalme-2021-watching"))
    )
    assert own["name"] == "evalme-2021"
    assert watching["name"] == "evalme-2021-watching"
    assert "evalme-2021-watching" in succeeded(command("show", "evalme-2021"))


def test_unknown_further_plan_is_refused_and_so_is_its_quick_scale(command: Command) -> None:
    refused = command("preview", "evalme-2021", "--plan", "tinyjambu-compilers-energy").exception
    assert isinstance(refused, NotFound)
    assert "evalme-2021-watching, evalme-2021-order" in str(refused.remedy)
    refused = command("preview", "evalme-2021", "--plan", "evalme-2021-order", "--scale", "quick").exception
    assert isinstance(refused, InvalidRequest)


def test_unknown_paper_and_scale_are_refused(command: Command) -> None:
    assert isinstance(command("preview", "unknown").exception, NotFound)
    assert isinstance(command("preview", "evalme-2021", "--scale", "huge").exception, InvalidRequest)


def test_paper_is_submitted_without_watching(command: Command, served: Served) -> None:
    document = json.loads(succeeded(command("run", "evalme-2021", "--scale", "quick", "--no-watch", "--json")))

    with served.database.read() as session:
        run = session.get_one(Run, document["id"])
        assert (run.name, run.plan["repetitions"]) == ("evalme-2021-quick", 8)


def test_report_is_printed_and_written(command: Command, tmp_path: Path) -> None:
    printed = succeeded(command("report", "tinyjambu-compilers", CALLS.run_id))
    assert "not measurable here" in printed
    assert "tinyjambu-192" in printed
    assert "published  measured" not in succeeded(command("report", "evalme-2021", CALLS.run_id))  # no row

    file = tmp_path / "report.md"
    document = json.loads(
        succeeded(command("report", "tinyjambu-compilers", CALLS.run_id, "--output", str(file), "--json"))
    )
    assert PaperVerdicts.model_validate(document).run_id == CALLS.run_id
    assert file.read_text(encoding="utf-8").startswith("# Studying the Implementations")
    refused = command("report", "tinyjambu-compilers", CALLS.run_id, "--output", str(tmp_path / "absent" / "file.md"))
    assert isinstance(refused.exception, InvalidRequest)
    unknown = command("report", "tinyjambu-compilers", CALLS.run_id, "--output", str(tmp_path / "report.odt"))
    assert unknown.exit_code == ExitCode.USAGE
    assert "must end with .html, .md, .tex, .csv, .parquet" in unknown.output
