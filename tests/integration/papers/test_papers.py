"""Papers over HTTP and on the command line: plans at both scales, verdicts, what is missing, and the report."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from orchestrator.cli.tables.verdicts import print_verdicts
from orchestrator.database.models import Case, Execution
from orchestrator.papers import published
from orchestrator.papers.registry import papers
from orchestrator.papers.reporting.markdown import markdown
from orchestrator.papers.schemas import PaperDetail, PaperVerdicts
from orchestrator.results.answers.readings import ReadingName, candidate_of, input_of, load_reading
from orchestrator.results.schemas import Interval
from orchestrator.shared.values.forms import Form
from tests.integration.papers.conftest import CALLS, CHUNKS, MASKED
from tests.support.live_service import Served
from tests.support.masked_results import call_ns


def get(filled: Served, path: str, status: int = 200, **query: Any) -> Any:
    return filled.json(f"/api/v1{path}", status, **query)


def verdicts(filled: Served, paper: str, run_id: str) -> dict[str, Any]:
    """Return the verdicts of the only agent by claim."""
    (agent,) = get(filled, f"/papers/{paper}/verdicts", run=run_id)["agents"]
    return {one["claim"]: one for one in agent["claims"]}


def test_papers_are_listed_with_their_claims(filled: Served) -> None:
    listed = get(filled, "/papers")
    assert {one["name"] for one in listed} >= {
        "evalme-2021",
        "tinyjambu-compilers",
        "simon-languages",
        "masked-lwc",
        "lightweight-pi",
    }
    for one in listed:
        detail = get(filled, f"/papers/{one['name']}")
        ids = [claim["claim"] for claim in detail["claim_details"]]
        assert len(ids) == len(set(ids)) == one["claims"]
        assert all(claim["tested"] for claim in detail["claim_details"])
        assert all(figure["published"] > 0 and figure["where"] for figure in detail["figure_details"])


def test_unknown_paper_and_run_are_not_found(filled: Served) -> None:
    assert "evalme-2021" in get(filled, "/papers/unknown", 404)["remedy"]
    assert get(filled, "/papers/unknown/verdicts", 404, run=CALLS.run_id)
    assert get(filled, "/papers/evalme-2021/verdicts", 404, run="unknown00001")
    assert get(filled, "/papers/evalme-2021/verdicts", 422, run="no/run")
    assert get(filled, "/papers/evalme-2021/verdicts", 422)


def test_claim_over_a_missing_case_is_not_measurable_and_names_it(filled: Served) -> None:
    # The run has no TinyJAMBU-192 and no Python binding.
    found = verdicts(filled, "tinyjambu-compilers", CALLS.run_id)

    assert {one["verdict"] for one in found.values()} == {"not measurable here"}
    assert any("tinyjambu-192" in missing for missing in found["clang-faster"]["missing"])
    assert "python-binding tinyjambu-128" in found["python-binding"]["reason"]


def test_missing_cases_do_not_hide_a_refutation(filled: Served) -> None:
    found = verdicts(filled, "masked-lwc", MASKED.run_id)["overheads"]

    # The model of the filled run has other overheads than the Arduino Due, and only some of the rows.
    assert found["verdict"] == "not reproduced here"
    assert found["parts_outside"] > 0
    assert (len(found["missing"]), found["missing_total"]) == (20, 27)


def test_executions_by_another_method_are_read_by_themselves(filled: Served) -> None:
    with filled.database.write() as session:
        of_run = (Execution.run_id == CHUNKS.run_id, Execution.state == "ok", Execution.purpose == "timing")
        one = session.query(Execution).filter(*of_run).order_by(Execution.id).first()
        assert one is not None
        columns = {column.key: getattr(one, column.key) for column in Execution.__table__.columns if column.key != "id"}
        readings = {"shell_mean_rss_bytes": 163_840.0}
        session.add(Execution(**columns | {"purpose": "shell", "readings": readings, "work_wall_ns": 1}))
        case = session.get_one(Case, one.case_id)
        key = candidate_of(case), input_of(case)
        repetition, work_wall_ns = one.repetition, one.work_wall_ns
        agent_id = case.agent_id
    with filled.database.read() as session:

        def read(name: ReadingName, purpose: str) -> list[float]:
            found = load_reading(session, CHUNKS.run_id, agent_id, name, [repetition], purpose=purpose)
            assert sum(np.isfinite(values).sum() for given in found.values() for values in given.values()) > 0
            return [float(value) for value in found[key[0]][key[1]]]

        assert read("shell_mean_rss_bytes", "shell") == [163_840.0]
        assert read("work_wall_ns", "shell") == [1.0]
        assert read("work_wall_ns", "timing") == [work_wall_ns]
    with filled.database.write() as session:
        session.query(Execution).filter(Execution.run_id == CHUNKS.run_id, Execution.purpose == "shell").delete()


def test_figures_are_next_to_the_published_ones(filled: Served) -> None:
    (agent,) = get(filled, "/papers/masked-lwc/verdicts", run=MASKED.run_id)["agents"]
    figures = {one["label"]: one for one in agent["figures"]}
    one = figures["ascon-128 full, 4 shares"]
    form = Form(4, "full", "chacha20")
    truth = [2 * call_ns("ascon-128", each, 128) + 6 * call_ns("ascon-128", each, 16) for each in (form, Form())]

    assert one["published"] == 33.44
    assert one["measured"] == pytest.approx(truth[0] / truth[1], rel=0.02)
    assert one["ratio"] == pytest.approx(one["measured"] / 33.44)
    absent = figures["spix full, 4 shares"]
    assert (absent["measured"], absent["ratio"]) == (None, None)
    assert "not measured" in absent["reason"]


def test_readings_other_than_times_are_those_of_the_executions(filled: Served) -> None:
    with filled.database.read() as session:
        agent_id = session.query(Case).filter_by(run_id=CHUNKS.run_id).first().agent_id
        executions = session.query(Execution).filter_by(run_id=CHUNKS.run_id, state="ok", purpose="timing").all()
        expected = {(one.case_id, one.repetition): one.peak_rss_bytes for one in executions}
        user = {(one.case_id, one.repetition): one.readings.get("work_user_ns") for one in executions}
        blocks = sorted({one.repetition for one in executions})
        cases = {
            (candidate_of(one), input_of(one)): one.id for one in session.query(Case).filter_by(run_id=CHUNKS.run_id)
        }
        for name, values in (("peak_rss_bytes", expected), ("work_user_ns", user)):
            found = load_reading(session, CHUNKS.run_id, agent_id, name, blocks)  # type: ignore[arg-type]
            assert found
            for candidate, inputs in found.items():
                for given, series in inputs.items():
                    truth = [values.get((cases[candidate, given], block)) for block in blocks]
                    assert series.tolist() == pytest.approx(
                        [math.nan if one is None else one for one in truth], nan_ok=True
                    )


def test_findings_have_verdicts_of_their_own(filled: Served) -> None:
    (agent,) = get(filled, "/papers/tinyjambu-compilers/verdicts", run=CALLS.run_id)["agents"]
    found = {one["claim"]: one["verdict"] for one in agent["findings"]}

    assert (found["impossible"], found["sign"]) == ("reproduced here", "reproduced here")
    assert found["known-answers"] == "not measurable here"


def test_report_and_table_have_every_claim(
    filled: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    detail = get(filled, "/papers/masked-lwc")
    document = get(filled, "/papers/masked-lwc/verdicts", run=MASKED.run_id)
    found = PaperVerdicts.model_validate(document)
    text = markdown(PaperDetail.model_validate(detail), [found])
    print_verdicts(found)
    printed = capsys.readouterr().out

    for claim in document["agents"][0]["claims"]:
        assert f"| {claim['text']} | **{claim['verdict']}** |" in text
        assert claim["verdict"] in printed
    assert "at most 5%" in text
    assert str(document["seed"]) in text
    assert "ascon-128 full, 4 shares" in printed


def test_verdicts_fit_a_terminal_of_80_columns(
    filled: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found = PaperVerdicts.model_validate(get(filled, "/papers/masked-lwc/verdicts", run=MASKED.run_id))
    for one in found.agents[0].claims:
        one.verdict, one.estimate, one.interval = "not reproduced here", 1.02, Interval(low=0.991, high=1.05)
        one.text = one.reason = "chacha20-poly1305"
    print_verdicts(found)
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_names_of_devices_cannot_break_the_report(filled: Served) -> None:
    detail = PaperDetail.model_validate(get(filled, "/papers/masked-lwc"))
    document = get(filled, "/papers/masked-lwc/verdicts", run=MASKED.run_id)
    document["agents"][0]["agent_name"] = "pi|4\n# <script>"
    text = markdown(detail, [PaperVerdicts.model_validate(document)])

    assert "## pi\\|4 # \\<script>" in text


def test_every_file_is_a_paper_of_its_name() -> None:
    assert {path.stem for path in Path(published.__file__).parent.glob("*.py")} - {"__init__"} == {
        paper.name.replace("-", "_") for paper in papers().values()
    }
