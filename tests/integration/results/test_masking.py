"""The overhead of masking over HTTP: quotients of summed times, ranks, units, and how the order of rows changes."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import update

from orchestrator.cli.tables.masking import print_masking
from orchestrator.compilation.evidence.storage import store_evidence
from orchestrator.database.models import Case, Execution, Inventory
from orchestrator.results.answers.masking.schemas import MaskingAnswer
from orchestrator.shared.values.forms import UNMASKED, Form
from tests.support.database import Shape as ChunkShape
from tests.support.database import fill
from tests.support.live_service import Served, serve
from tests.support.masked_results import DEGREES, Shape, call_ns, fill_masked, random_bytes
from tests.support.masking_evidence import evidence

SHAPE = Shape()
PATH = f"/api/v1/runs/{SHAPE.run_id}/masking"
CHUNKS = ChunkShape(run_id="chunks000001", algorithms=("aes-128-ctr",), repetitions=2, sizes=(4096,), with_curves=False)


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill(served.database, CHUNKS)
    fill_masked(served.database, SHAPE)
    return served


def get(served: Served, path: str = PATH, status: int = 200, **query: Any) -> Any:
    return served.json(path, status, **query)


def tables(answer: Any) -> dict[tuple[str, str], Any]:
    return {(table["agent_name"], table["generator"]): table for table in answer["tables"]}


def weighted(algorithm: str, form: Form = UNMASKED) -> float:
    """Return e128 + d128 + 3·e16 + 3·d16."""
    return 2 * call_ns(algorithm, form, 128) + 6 * call_ns(algorithm, form, 16)


def test_overhead_is_the_quotient_of_summed_times(served: Served) -> None:
    answer = get(served, generator="chacha20")
    assert (answer["shares"], answer["available_shares"], answer["generators"]) == (4, [2, 4], ["chacha20", "free"])
    assert [(one["operation"], one["length_bytes"], one["weight"]) for one in answer["terms"]] == [
        ("encrypt", 128, 1), ("decrypt", 128, 1), ("encrypt", 16, 3), ("decrypt", 16, 3),
    ]  # fmt: skip
    table = tables(answer)["x86", "chacha20"]
    assert (table["secure"], table["chacha_variant"]) == (True, "opt64")
    masked = [row for row in table["rows"] if row["shares"]]
    assert {(row["algorithm"], row["masking"]) for row in masked} == {
        (algorithm, degree) for algorithm, degrees in DEGREES.items() for degree in degrees
    }
    for row in masked:
        form = Form(4, row["masking"], "chacha20")
        truth = weighted(row["algorithm"], form) / weighted(row["algorithm"])
        assert row["overhead"] == pytest.approx(truth, rel=0.01)
        low, high = row["overhead_interval"]["low"], row["overhead_interval"]["high"]
        assert low < row["overhead"] < high < 1.05 * low
        units = weighted("chacha20-poly1305") / weighted(row["algorithm"])
        assert row["chacha_units"] == pytest.approx(units, rel=0.01)
        assert row["relative_time"] == pytest.approx(truth / units, rel=0.01)
        assert (row["blocks"], row["unmasked_variant"], row["reason"]) == (8, "opt64", "")
        assert (row["variant"], row["other_variants"]) == ("masked64", ["masked32"] if form.degree == "full" else [])


def test_rows_are_ranked_by_overhead_and_by_time(served: Served) -> None:
    table = tables(get(served))["x86", "chacha20"]
    ranked = [row for row in table["rows"] if row["rank"]]
    assert [row["rank"] for row in ranked] == [1, 2, 3, 4, 5]
    assert [row["overhead"] for row in ranked] == sorted(row["overhead"] for row in ranked)
    by_time = sorted((row for row in table["rows"] if row["relative_rank"]), key=lambda row: row["relative_rank"])
    assert [row["relative_time"] for row in by_time] == sorted(row["relative_time"] for row in by_time)
    assert ranked[0]["algorithm"] in table["sentence"]
    assert ("by the medians alone" in table["sentence"]) == ("not proven to differ" in table["sentence"])
    assert ranked[-1]["algorithm"] in table["sentence"]
    # Both orders are of one family.
    assert get(served)["comparisons"] > 2 * 4 * 5 * 4 / 2


def test_cipher_protected_by_design_has_units_and_no_overhead(served: Served) -> None:
    table = tables(get(served))["x86", "free"]
    assert table["secure"] is False
    assert table["sentence"].endswith("This generator is not secure.")
    (row,) = (row for row in table["rows"] if row["shares"] is None)
    assert (row["algorithm"], row["overhead"], row["rank"]) == ("isap-k-128a", None, None)
    assert row["reason"] == "protected by the design of its mode; it has no masked variant"
    assert row["relative_time"] == pytest.approx(1 / row["chacha_units"], rel=1e-9)
    assert row["relative_rank"] is not None


def test_times_are_absolute_with_the_random_bytes_of_the_call(served: Served) -> None:
    table = tables(get(served, shares=2))["x86", "chacha20"]
    row = next(row for row in table["rows"] if (row["algorithm"], row["masking"]) == ("ascon-128", "full"))
    form = Form(2, "full", "chacha20")
    for time in row["times"]:
        assert time["call_wall_ns"] == pytest.approx(call_ns("ascon-128", form, time["length_bytes"]), rel=0.01)
        assert time["unmasked_call_wall_ns"] == pytest.approx(
            call_ns("ascon-128", UNMASKED, time["length_bytes"]), rel=0.01
        )
        assert time["random_bytes"] == random_bytes("ascon-128", form, time["length_bytes"])
        assert time["generator_share"] == pytest.approx(time["random_wall_ns"] / time["call_wall_ns"])
        assert time["interval"]["low"] < time["call_wall_ns"] < time["interval"]["high"]


def test_order_of_rows_is_compared_between_generators_and_agents(served: Served) -> None:
    orders = get(served)["orders"]
    pairs = {
        (one["of"], one["first_agent"], one["first_generator"], one["second_agent"], one["second_generator"]): one
        for one in orders
    }
    assert len(pairs) == len(orders) == 2 * 4
    within = pairs["overhead", "x86", "chacha20", "x86", "free"]
    between = pairs["overhead", "pi4", "chacha20", "x86", "chacha20"]
    assert (within["rows"], between["rows"]) == (5, 5)
    assert within["kendall_tau"] < 1
    first = within["moves"][0]
    assert abs(first["first_rank"] - first["second_rank"]) == max(
        abs(one["first_rank"] - one["second_rank"]) for one in within["moves"]
    )
    assert first["algorithm"] in within["sentence"]
    assert pairs["relative", "x86", "chacha20", "x86", "free"]["rows"] == 6


def test_missing_shares_and_generators_are_refused_with_what_exists(served: Served) -> None:
    problem = get(served, status=422, shares=3)
    assert problem["detail"] == "This run has no masked cases with 3 shares."
    assert problem["remedy"] == "It has: 2, 4."
    problem = get(served, status=422, generator="aes-ctr")
    assert problem["remedy"] == "It has: chacha20, free."
    assert get(served, status=422, shares=7)
    assert get(served, "/api/v1/runs/unknown00001/masking", status=404)


def test_run_without_masked_cases_has_no_tables(served: Served) -> None:
    answer = get(served, f"/api/v1/runs/{CHUNKS.run_id}/masking")
    assert (answer["shares"], answer["tables"], answer["orders"], answer["comparisons"]) == (None, [], [], 0)


def test_table_fits_a_terminal_of_80_columns(
    served: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    print_masking(MaskingAnswer.model_validate(get(served)))
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= 80
    assert "Left out in this width: its rank" in printed


def test_command_prints_tables_and_orders(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    print_masking(MaskingAnswer.model_validate(get(served)))
    printed = " ".join(capsys.readouterr().out.split())
    assert "Overhead with 4 shares: (1 encrypt 128 B + 1 decrypt 128 B + 3 encrypt 16 B + 3 decrypt 16 B)" in printed
    assert "x86: generator free (not secure)" in printed
    assert "isap-k-128a opt64: protected by the design of its mode" in printed
    assert "has Kendall's tau" in printed
    assert f"ciphermark runs masking {SHAPE.run_id} --shares 2" in printed
    print_masking(MaskingAnswer.model_validate(get(served, f"/api/v1/runs/{CHUNKS.run_id}/masking")))
    assert "no masked cases" in capsys.readouterr().out


def test_page_shows_tables_and_orders(served: Served) -> None:
    page = served.visitor.get(f"/runs/{SHAPE.run_id}/masking", params={"shares": "2"})
    filtered = served.visitor.get(f"/runs/{SHAPE.run_id}", params={"shares": "2", "generator": "free"})
    assert (page.status_code, filtered.status_code) == (200, 200)
    for text in ("Overhead of masking with 2 shares", "not secure", "Kendall", "protected by the design"):
        assert text in page.text
    assert f'data-fragment="/runs/{SHAPE.run_id}/masking' in filtered.text
    assert "masked64 · 2 shares · full · free" in filtered.text
    assert "masked64 · 4 shares" not in filtered.text


def test_evidence_is_next_to_the_speed_of_what_was_examined(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    page = f"/runs/{SHAPE.run_id}/masking"
    before = get(served)
    masked = [row for table in before["tables"] for row in table["rows"] if row["shares"]]
    assert {(row["evidence"] is None, row["evidence_reason"]) for row in masked} == {
        (True, "no evidence for this build")
    }
    assert "no claim about the power consumption" in before["evidence_statement"]
    stored = store_evidence(served.settings.cache_folder, evidence())
    try:
        answer = get(served)
        shown = served.visitor.get(page)
    finally:
        stored.unlink()
    rows = {(row["algorithm"], row["masking"], row["variant"]): row for row in answer["tables"][0]["rows"]}
    examined = rows["ascon-128", "full", "masked64"]["evidence"]
    assert examined["summary"] == "passed: gadgets, t-test, object code"
    assert (examined["failed"], examined["traces"], examined["object_code_instructions"]) == (False, 200_000, 10705)
    # No t-test is about this one; its gadgets were checked.
    other = rows["gift-cofb", "full", "masked64"]["evidence"]
    assert (other["traces"], other["probe_sets"], other["complete"]) == (None, 79157, False)
    assert other["summary"] == "passed: gadgets; no t-test, object code"
    for row in (examined, other):
        assert f">{row['summary']}</span>" in shown.text
        assert row["sentence"] in shown.text
    assert "no claim about the power consumption" in shown.text
    print_masking(MaskingAnswer.model_validate(answer))
    printed = " ".join(capsys.readouterr().out.split())
    assert "2 of 2 planted faults found" in printed
    assert "no t-test: no model of its words" in printed
    assert get(served) == before


class TestIncompleteRuns:
    @pytest.fixture
    def single(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
        with serve(tmp_path_factory.mktemp("incomplete") / "data") as running:
            fill_masked(running.database, Shape(agents=("x86",), shares=(4,), repetitions=6))
            yield running

    def rows(self, served: Served) -> list[dict[str, Any]]:
        return list(tables(get(served, generator="free"))["x86", "free"]["rows"])

    def spoil(self, served: Served, state: str, **case: Any) -> None:
        conditions = [getattr(Case, name) == value for name, value in case.items()]
        with served.database.write() as session:
            ids = [one.id for one in session.query(Case).filter(*conditions)]
            session.execute(update(Execution).where(Execution.case_id.in_(ids)).values(state=state))

    def test_row_without_a_call_has_the_reason(self, single: Served) -> None:
        for variant in ("masked64", "masked32"):
            self.spoil(single, "wrong", algorithm="gift-cofb", variant=variant, operation="decrypt", message_bytes=16)
        row = next(row for row in self.rows(single) if row["algorithm"] == "gift-cofb")
        assert (row["rank"], row["overhead"], row["times"]) == (None, None, [])
        assert row["reason"] == "no ok execution of decrypt of 16 bytes"

    def test_table_without_overheads_refers_to_the_reasons(self, single: Served) -> None:
        self.spoil(single, "wrong", operation="decrypt", message_bytes=16)
        sentence = tables(get(single, generator="free"))["x86", "free"]["sentence"]
        assert sentence.endswith("no masked cipher with the generator free has an overhead; each row has the reason.")

    def test_slower_variant_is_the_row_if_the_fastest_lacks_a_call(self, single: Served) -> None:
        self.spoil(single, "wrong", algorithm="gift-cofb", variant="masked64", operation="decrypt", message_bytes=16)
        row = next(row for row in self.rows(single) if row["algorithm"] == "gift-cofb")
        assert (row["variant"], row["other_variants"]) == ("masked32", ["masked64"])
        assert row["rank"] is not None

    def test_row_without_an_unmasked_variant_has_a_time_and_no_overhead(self, single: Served) -> None:
        self.spoil(single, "failed", algorithm="ascon-128", variant="opt64")
        row = next(row for row in self.rows(single) if row["algorithm"] == "ascon-128")
        assert (row["rank"], row["overhead"], row["chacha_units"]) == (None, None, None)
        assert row["reason"] == "the run has no calls of the unmasked cipher by this provider and build"
        assert row["relative_time"] > 1
        assert len(row["times"]) == 4

    def test_run_without_the_unit_has_overheads_only(self, single: Served) -> None:
        self.spoil(single, "failed", algorithm="chacha20-poly1305")
        table = tables(get(single, generator="free"))["x86", "free"]
        assert table["chacha_variant"] is None
        ranked = [row for row in table["rows"] if row["rank"]]
        assert len(ranked) == 5
        assert {row["relative_time"] for row in ranked} == {None}

    def test_emulated_agent_has_no_ranks(self, single: Served) -> None:
        with single.database.write() as session:
            session.execute(update(Inventory).values(emulated=True))
        table = tables(get(single, generator="free"))["x86", "free"]
        assert table["emulated"]
        assert {row["rank"] for row in table["rows"]} == {None}
        assert "is emulated" in table["sentence"]
