"""The pages of rankings and comparisons as a browser gets them."""

import re

import pytest

from tests.support.database import Shape, fill
from tests.support.latency_results import Shape as CallShape
from tests.support.latency_results import fill_calls
from tests.support.live_service import Served

FIRST, AGAIN, CALLS = "first0000001", "again0000001", "calls0000001"


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    for run_id in (FIRST, AGAIN):
        shape = Shape(run_id=run_id, algorithms=("aes-128-ctr",), kinds=("text",), repetitions=6, with_curves=False)
        fill(served.database, shape)
    fill_calls(served.database, CallShape(run_id=CALLS, agent="pi4"))
    return served


# A missing field of the form was an undefined value of the template: every page of a run answered 500.
@pytest.mark.parametrize("page", [f"/runs/{FIRST}", f"/runs/{CALLS}/answer"])
def test_page_without_a_chosen_ranking_has_a_question_without_limits(served: Served, page: str) -> None:
    text = served.html(page)
    assert 'data-question autocomplete="off" aria-label="Question"' in text
    assert "<summary>More limits</summary>" in text
    assert "Start again" not in text


def test_question_keeps_what_was_chosen_and_the_answer_is_loaded_with_it(served: Served) -> None:
    query = "rank=code-size&against=call&aead=yes&max_code=2+KiB&call=decrypt"
    text = served.html(f"/runs/{CALLS}?{query}")
    assert "<summary>More limits (1)</summary>" in text
    for part in ('value="code-size" selected', 'value="2 KiB"', 'name="aead" value="yes" checked', ">Start again<"):
        assert part in text
    assert f"/runs/{CALLS}/answer?measure=code-size&amp;rank=code-size&amp;against=call" in text


def test_answer_shows_front_and_excluded_candidates(served: Served) -> None:
    text = served.html(f"/runs/{CALLS}/answer?against=code-size&max_code=2804&constant_time=yes")
    for part in ("Pareto front on pi4", "4 candidates on pi4 excluded by the constraints", "no check of the build"):
        assert part in text
    assert "equal values tie" in served.html(f"/runs/{CALLS}/answer?rank=stack")
    assert "CPU time of the whole pass" in served.html(f"/runs/{FIRST}/answer?rank=pass-cpu&against=peak-memory")


def test_answer_and_traffic_have_a_column_of_constant_time(served: Served) -> None:
    for path in ("answer?against=code-size&ranked=tinyjambu-256", "traffic?lengths=64:1&ranked=tinyjambu-256"):
        text = served.html(f"/runs/{CALLS}/{path}")
        assert "<th>Constant time</th>" in text
        assert re.search(">no, not checked</(b|span)>", text)
        assert "Attention: tinyjambu-256 by own does not claim constant time" in text


def test_answer_of_some_algorithms_has_them_in_its_address(served: Served) -> None:
    text = served.html(f"/runs/{CALLS}/answer?ranked=tinyjambu-256")
    assert "Only tinyjambu-256: other candidates are in no comparison" in text
    assert "tinyjambu-128 by own" not in text
    assert 'name="ranked" value="tinyjambu-256"' in text
    text = served.html(f"/runs/{CALLS}?ranked=tinyjambu-256,+tinyjambu-128")
    assert "&amp;ranked=tinyjambu-256%2C+tinyjambu-128" in text


def test_comparison_shows_form_changes_and_cases(served: Served) -> None:
    assert "Choose at least two sides." in served.html(f"/compare?run={FIRST}")
    text = served.html(f"/compare?run={FIRST}&run={AGAIN}")
    for part in ("Unpaired: the sides share no blocks", "<h2>Cases</h2>", f"run={FIRST}&amp;run={AGAIN}"):
        assert part in text
    paired = served.html(f"/compare?run={CALLS},toolchain=gcc+-O3&run={CALLS},toolchain=clang+-O3")
    assert "gcc 14.0.6" in paired
    assert '<span class="strong">better</span>' in paired


@pytest.mark.parametrize(
    ("address", "status", "words"),
    [
        (f"/runs/{CALLS}/answer?ranked=tinyjambu-265", 422, "tinyjambu-256"),
        (
            f"/runs/{CALLS}/answer?ranked={'+'.join(f'a{number}' for number in range(60))}",
            422,
            "at most 50 are allowed",
        ),
        (f"/runs/{FIRST}/answer?max_code=small", 422, "8 KiB"),
        (f"/compare?run={FIRST}&run=gone00000001", 404, "There is no run"),
        (f"/compare?run={FIRST}&run=gone00000001", 404, "ciphermark runs list"),
    ],
)
def test_refused_question_is_a_page_with_what_helps(served: Served, address: str, status: int, words: str) -> None:
    assert words in served.html(address, status)


def test_axes_of_the_front_cover_its_intervals_and_have_labels(served: Served) -> None:
    """Regression: intervals ended across the title of the axis, and sizes between two powers of 4 had no label."""
    with served.client("viewer") as viewer:
        spec = viewer.get(f"{served.url}/runs/{CALLS}/charts/front.json", params={"ranked": "tinyjambu-128"}).json()
    rows = [row for data in spec["datasets"].values() for row in data] if "datasets" in spec else spec["data"]["values"]
    encoding = next(layer["encoding"] for layer in spec["layer"] if "size" in str(layer["encoding"]["x"]))
    low, high = encoding["y"]["scale"]["domain"]
    assert low <= min(row["low"] for row in rows) <= max(row["high"] for row in rows) <= high
    smallest, largest = encoding["x"]["scale"]["domain"]
    assert smallest <= min(row["size"] for row in rows) <= max(row["size"] for row in rows) <= largest
    assert {smallest, largest} <= set(encoding["x"]["axis"]["values"])
