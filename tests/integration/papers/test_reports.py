"""The report of a paper as a file in every form: complete, without foreign code, refused where it cannot be made."""

import csv
import io
import re

import pyarrow.parquet
import pytest

from orchestrator.database.models import Agent, Omission
from orchestrator.papers.registry import papers
from orchestrator.papers.reporting.columns import side_by_side
from orchestrator.papers.reporting.latex import latex, number, visible_document
from orchestrator.papers.reporting.markdown import markdown
from orchestrator.papers.reporting.schemas import PaperReport, ReportedRun
from orchestrator.papers.schemas import DeviceConditions
from orchestrator.papers.service import get_report
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.shared.values.latex import escape
from orchestrator.web.papers.reports.page import report_page
from tests.support.live_service import Served
from tests.support.masked_results import Shape, fill_masked

MASKED = Shape(agents=("x86", "pi"))
HOSTILE = 'pi_4 & 50% {\\end{document}} <script>alert(1)</script> "x"'


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill_masked(served.database, MASKED)
    with served.database.write() as session:
        agent = session.query(Agent).filter_by(name="pi").one()
        session.add(Omission(run_id=MASKED.run_id, agent_id=agent.id, reason="it has no such runner", executions=24))
    return served


def file_of(served: Served, form: str, status: int = 200, paper: str = "masked-lwc") -> tuple[str, dict[str, str]]:
    answer = served.viewer.get(f"/api/v1/papers/{paper}/report", params={"run": MASKED.run_id, "format": form})
    assert answer.status_code == status, answer.text
    return answer.text, dict(answer.headers)


@pytest.fixture(scope="module")
def report(served: Served) -> PaperReport:
    return report_of(served, "masked-lwc")


def report_of(served: Served, paper: str) -> PaperReport:
    return get_report(served.database, ReadingsCache(), paper, [MASKED.run_id])


def test_html_has_every_agent_verdict_figure_and_condition(served: Served, report: PaperReport) -> None:
    text, headers = file_of(served, "html")
    (run,) = report.runs

    assert headers["content-disposition"].endswith('"ciphermark-masked-lwc-' + MASKED.run_id + '.html"')
    assert len(run.found.agents) == 2
    for agent in run.found.agents:
        assert f"{agent.agent_name}: claims" in text
        assert text.count(">not reproduced here</td>") >= 1
        for one in (*agent.claims, *agent.findings):
            assert one.tested.replace("'", "&#39;") in text
    assert "it has no such runner" in text
    for value in (run.conditions.plan_sha256, str(run.conditions.seed), run.conditions.version):
        assert value in text
    assert text.count("<svg") >= 2
    for outside in ("<script", "<link", "src=", 'href="http', "@import"):
        assert outside not in text


@pytest.mark.long
def test_ids_of_pictures_in_one_file_differ(served: Served) -> None:
    text, _ = file_of(served, "html")
    ids = re.findall(r'\bid="(a\d+c\d+[^"]*)"', text)

    assert len(ids) == len(set(ids))
    assert set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)


def test_tables_are_in_every_form(served: Served, report: PaperReport) -> None:
    rows = list(csv.DictReader(io.StringIO(file_of(served, "csv")[0], newline="")))
    figures = [one for agent in report.runs[0].found.agents for one in agent.figures]
    claims = [one for agent in report.runs[0].found.agents for one in (*agent.claims, *agent.findings)]
    assert [row["name"] for row in rows if row["kind"] == "figure"] == [one.label for one in figures]
    assert [row["verdict"] for row in rows if row["kind"] != "figure"] == [one.verdict for one in claims]
    measured = next(row for row in rows if row["measured_over_published"])
    assert float(measured["interval_low"]) <= float(measured["measured"]) <= float(measured["interval_high"])

    # The other form of the same table, with types.
    query = {"run": MASKED.run_id, "format": "parquet"}
    table = pyarrow.parquet.read_table(
        io.BytesIO(served.viewer.get("/api/v1/papers/masked-lwc/report", params=query).content)
    )
    assert table.column_names == list(rows[0])
    assert str(table.schema.field("measured").type) == "double"
    assert table.schema.field("measured_over_published").metadata[b"unit"] == b"1"
    typed = table.to_pylist()
    assert [row["name"] for row in typed] == [row["name"].removeprefix("'") for row in rows]
    assert [row["measured"] for row in typed] == [float(row["measured"]) if row["measured"] else None for row in rows]

    assert file_of(served, "md")[0].startswith("# Overhead of masking")
    source = file_of(served, "tex")[0]
    for one in claims:
        assert escape(one.text) in source
        assert escape(one.verdict) in source


@pytest.mark.parametrize("paper", papers())
def test_latex_of_every_paper_is_balanced_and_has_the_tables_of_the_publication(served: Served, paper: str) -> None:
    report = report_of(served, paper)
    source = latex(report)
    opened = list[str]()
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", source):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    body = source.replace(r"\{", "").replace(r"\}", "")
    assert body.count("{") == body.count("}")
    assert source.isascii() or not re.search(r"[^\x00-\u017e]", source)
    for one in report.drawings.drawings:
        assert (rf"\subsection{{{escape(one.title)}}}" in source) == (one.kind == "table")
        published = {spot.published for spot in one.spots if one.kind == "table"} - {None}
        assert all(number(value) in source for value in published)


def test_names_of_devices_are_no_code_in_any_form(report: PaperReport) -> None:
    (run,) = report.runs
    agent = run.found.agents[0].model_copy(update={"agent_name": HOSTILE, "device": HOSTILE, "sentence": HOSTILE})
    device = DeviceConditions(
        agent_id=agent.agent_id, agent_name=HOSTILE, facts={"device": HOSTILE}, inventory_sha256=None,
        builds=[], executions={"ok": 1}, preflight=None,
    )  # fmt: skip
    found = run.found.model_copy(update={"agents": [agent, agent]})
    plan = "a: 1\n\\end{verbatim}\\input{/etc/passwd}\n"
    conditions = run.conditions.model_copy(update={"devices": [device], "plan_text": plan})
    hostile = report.model_copy(
        update={
            "runs": [ReportedRun(found=found, conditions=conditions)],
            "side_by_side": side_by_side([found]),
            "drawings": report.drawings.model_copy(
                update={"columns": [one.model_copy(update={"agent_name": HOSTILE}) for one in report.drawings.columns]}
            ),
        }
    )
    html, source = report_page(hostile), latex(hostile)

    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert source.count(r"\end{document}") == 1
    assert source.count(r"\end{verbatim}") == 1
    assert r"pi\_4 \& 50\% \{\textbackslash{}end" in source


def test_characters_without_a_font_are_replaced() -> None:
    assert escape("±5 % — ok\n\u202f“x” \u4e2d") == "\\(\\pm\\)5 \\% --- ok ``x'' ?"
    assert visible_document("a: é\nb") == "a: ?\nb"


def test_large_figure_has_no_exponent_in_markdown(report: PaperReport) -> None:
    """Regression: the published memory of evalme-2021 was 3.775e+05 bytes there, and 377 487 bytes on the page."""
    (run,) = report.runs
    figure = run.found.agents[0].figures[0].model_copy(update={"published": 377_487.36, "unit": "bytes"})
    agent = run.found.agents[0].model_copy(update={"figures": [figure]})
    text = markdown(report.paper, [run.found.model_copy(update={"agents": [agent]})])
    assert "| 377487 bytes |" in text


@pytest.mark.long
def test_paper_without_a_shared_case_has_a_report(served: Served) -> None:
    text, _ = file_of(served, "html", paper="simon-languages")

    assert "No published figure has a counterpart in this run" not in text  # its sizes of sources have
    assert "not measurable here" in text
    assert "No published figure has a counterpart in this run" in file_of(served, "html", paper="evalme-2021")[0]


def test_unknown_form_run_and_paper_are_refused(served: Served) -> None:
    file_of(served, "docx", 422)
    file_of(served, "html", 404, paper="unknown")
    assert served.viewer.get("/api/v1/papers/masked-lwc/report", params={"run": "unknown00001"}).status_code == 404
