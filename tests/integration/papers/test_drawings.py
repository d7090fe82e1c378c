"""Figures and tables of papers in their own axes, next to what a run measured."""

from collections import defaultdict
from statistics import geometric_mean, median
from typing import Any

import pytest

from orchestrator.database.models import Case, Execution
from orchestrator.papers.registry import papers
from orchestrator.papers.service import get_drawings, get_verdicts_of
from orchestrator.results.answers.readings import ReadingsCache
from orchestrator.shared.units import KIB, MIB
from orchestrator.web.charts.drawings import shared_scale, spec
from orchestrator.web.charts.response import rows_of
from orchestrator.web.charts.theme import svg
from tests.integration.papers.conftest import CALLS, CHUNKS, MASKED
from tests.support import latency_results
from tests.support.live_service import Served
from tests.support.masked_results import UNMASKED_NS

SIZES = ["128 KiB", "256 KiB", "512 KiB", "1 MiB", "4 MiB", "8 MiB", "all lengths"]


def drawings(filled: Served, paper: str, *runs: str) -> dict[str, Any]:
    """Return the drawings of a paper by name."""
    answer = filled.viewer.get(f"/api/v1/papers/{paper}/drawings", params={"run": list(runs)})
    assert answer.status_code == 200, answer.text
    return {one["name"]: one for one in answer.json()["drawings"]}


def cell(drawing: Any, x: str, series: str, panel: str = "") -> Any:
    (found,) = (one for one in drawing["spots"] if (one["panel"], one["x"], one["series"]) == (panel, x, series))
    return found


@pytest.mark.parametrize("name", papers())
def test_every_published_figure_is_in_a_drawing(name: str) -> None:
    paper = papers()[name]
    names = [one.name for one in paper.drawings]
    assert len(names) == len(set(names))
    drawn = defaultdict[str, set[float]](set)
    for one in paper.drawings:
        places = [(spot.panel, spot.x, spot.series) for spot in one.spots]
        assert len(places) == len(set(places)), one.name
        assert all(spot.quantity is not None or spot.reason for spot in one.spots), one.name
        for spot in one.spots:
            scale = MIB if (spot.unit or one.unit) == "MiB" else 1
            drawn["bytes" if scale > 1 else spot.unit or one.unit].add((spot.published or 0) * scale)
    for figure in paper.figures:
        assert figure.value in drawn[figure.unit], figure.label


@pytest.mark.long
def test_bars_have_the_published_order_and_our_values(filled: Served) -> None:
    figure = drawings(filled, "evalme-2021", CHUNKS.run_id)["figure-1"]

    assert list(dict.fromkeys(one["x"] for one in figure["spots"])) == SIZES
    assert list(dict.fromkeys(one["panel"] for one in figure["spots"])) == [
        "3DES in Crypto++", "AES in Crypto++", "3DES in Botan", "AES in Botan",
    ]  # fmt: skip
    # The text prints the average of CBC, and no value of a single length.
    assert cell(figure, "all lengths", "CBC", "AES in Crypto++")["published"] == 12.05
    found = cell(figure, "128 KiB", "CBC", "AES in Crypto++")
    assert found["published"] is None
    assert found["values"][0]["ratio"] is None

    by_kind = defaultdict[str, list[float]](list)
    with filled.database.read() as session:
        query = session.query(Execution.work_wall_ns, Case.input_kind).join(Case, Case.id == Execution.case_id)
        for work_ns, kind in query.filter(
            Case.run_id == CHUNKS.run_id, Case.provider == "cryptopp", Case.algorithm == "aes-192-cbc",
            Case.message_bytes == 128 * KIB,
        ):  # fmt: skip
            by_kind[kind].append(128 * KIB / MIB / (work_ns / 1e9))
    expected = geometric_mean(median(values) for values in by_kind.values())
    assert found["values"][0]["measured"] == pytest.approx(expected, rel=0.02)
    # Not among the lengths of the run.
    missing = cell(figure, "8 MiB", "CBC", "AES in Crypto++")["values"][0]
    assert (missing["measured"], missing["reason"]) == (None, "cryptopp aes-192-cbc: no ok execution")


def test_table_has_published_and_measured_cells(filled: Served) -> None:
    found = drawings(filled, "tinyjambu-compilers", CALLS.run_id)
    first = found["table-i"]
    time, cpu, iterations = (
        cell(first, "Encrypt, 64 bytes", series) for series in ("elapsed time", "CPU time", "iterations")
    )
    assert (time["published"], cpu["published"], iterations["published"]) == (71.2, 71.1, 9495955)
    fixed, each = latency_results.CALL_NS["tinyjambu-128"]
    assert time["values"][0]["measured"] == pytest.approx(fixed + 64 * each, rel=0.01)
    assert cpu["values"][0]["measured"] == pytest.approx(0.998 * time["values"][0]["measured"], rel=0.001)
    assert iterations["values"][0]["measured"] == pytest.approx(10e6 / time["values"][0]["measured"], rel=0.01)
    assert iterations["unit"] == "calls"

    gcc_over_clang = cell(found["table-vii"], "Encrypt, 4096 bytes", "TinyJAMBU-128")
    assert round(gcc_over_clang["published"], 3) == 0.983
    assert gcc_over_clang["values"][0]["measured"] == pytest.approx(1 / latency_results.SPEED["clang"], rel=0.01)
    inverse = cell(found["table-viii"], "average", "TinyJAMBU-256")
    assert inverse["published"] == 1.016
    assert inverse["values"][0]["measured"] == pytest.approx(latency_results.SPEED["clang"], rel=0.01)
    assert cell(found["table-ix"], "Encrypt, 128-bit key", "elapsed time")["values"][0]["reason"]


def test_ranking_by_speed_divides_by_the_speed_relative_to_chachapoly(filled: Served) -> None:
    ranking = drawings(filled, "masked-lwc", MASKED.run_id)["ranking-by-speed"]
    overhead, speed, quotient = (
        cell(ranking, "ascon-128 full", series)["values"][0]["measured"]
        for series in ("4 shares", "ChaChaPoly", "4 shares / ChaChaPoly")
    )

    def weighted(name: str) -> float:
        fixed, each = UNMASKED_NS[name]
        return 2 * (fixed + 128 * each) + 6 * (fixed + 16 * each)

    assert speed == pytest.approx(weighted("chacha20-poly1305") / weighted("ascon-128"), rel=0.01)
    assert quotient == pytest.approx(overhead / speed, rel=0.01)
    assert [one["x"] for one in ranking["spots"]][:6:3] == ["drygascon128k32", "spook-128-512-su init-final"]


def test_published_drawings_need_no_run(filled: Served) -> None:
    for name in papers():
        for one in drawings(filled, name).values():
            assert all(spot["values"] == [] for spot in one["spots"])
    page = filled.viewer.get("/papers/evalme-2021", headers={"Accept": "text/html"}).text
    assert ("figure-1.svg" in page, "figure-2.svg" in page) == (True, False)  # the second prints no value


@pytest.mark.long
def test_chart_has_the_same_axes_for_every_source(filled: Served) -> None:
    cache = ReadingsCache()
    found = get_verdicts_of(filled.database, cache, "evalme-2021", [CHUNKS.run_id])
    found = get_drawings(filled.database, cache, "evalme-2021", found)
    figure = next(one for one in found.drawings if one.name == "figure-1")
    chart = spec(found, figure)

    panels = chart["facet"]["sort"]
    assert panels[:2] == ["3DES in Crypto++\npublished", panels[1]]
    assert panels[1].startswith("3DES in Crypto++\nraspberrypi")
    encoding = chart["spec"]["layer"][0]["encoding"]
    assert encoding["x"]["sort"] == SIZES
    assert encoding["xOffset"]["sort"] == ["CBC", "OFB", "CTR", "CFB"]
    # This device is far from the Raspberry Pi of the publication, so that one scale would hide one of them.
    assert not shared_scale(found, figure)
    assert chart["resolve"]["scale"]["y"] == "independent"
    assert "<svg" in svg(chart)


def test_page_and_chart_show_the_figures_of_the_api(filled: Served) -> None:
    query = {"run": CHUNKS.run_id}
    found = filled.viewer.get("/api/v1/papers/evalme-2021/drawings", params=query).json()
    page = filled.viewer.get("/papers/evalme-2021", params={**query, "format": "json"}).json()
    for place, name in enumerate(("figure-1", "figure-1-streams", "figure-2", "figure-3")):
        chart = filled.viewer.get(f"/papers/evalme-2021/charts/drawing/{name}.json", params=query).json()
        expected = [
            (one["x"], one["series"], value)
            for one in found["drawings"][place]["spots"]
            for value in (one["published"], *(value["measured"] for value in one["values"]))
        ]
        assert [(row["x"], row["series"], row["value"]) for row in rows_of(chart)] == expected
    assert page["drawings"] == found


def test_logarithmic_bars_begin_at_the_lower_end(filled: Served) -> None:
    found = get_drawings(filled.database, ReadingsCache(), "simon-languages", [])
    again = next(one for one in found.drawings if one.name == "execution-time-again")
    bar = spec(found, again)["spec"]["layer"][0]
    low = bar["encoding"]["y"]["scale"]["domain"][0]
    assert bar["encoding"]["y2"] == {"datum": low}
    assert low < min(one.published for one in again.spots if one.published)
    assert [row["x"] for row in rows_of(spec(found, again))] == ["JavaScript", "Python 3", "Golang"]
    assert "<svg" in svg(spec(found, again))


@pytest.mark.long
def test_page_and_report_show_every_drawing(filled: Served) -> None:
    for paper, run_id in (("evalme-2021", CHUNKS.run_id), ("tinyjambu-compilers", CALLS.run_id)):
        page = filled.viewer.get(f"/papers/{paper}?run={run_id}", headers={"accept": "text/html"}).text
        report = filled.viewer.get(f"/api/v1/papers/{paper}/report", params={"run": run_id}).text
        for one in papers()[paper].drawings:
            assert one.title in page
            assert one.title in report
            if one.kind != "table":
                assert f"/papers/{paper}/charts/drawing/{one.name}.svg?run={run_id}" in page


def test_unknown_chart_is_not_found(filled: Served) -> None:
    assert filled.viewer.get("/papers/evalme-2021/charts/drawing/figure-9.json").status_code == 404
    # A table has no chart.
    assert filled.viewer.get("/papers/simon-languages/charts/drawing/sources.json").status_code == 404
