from orchestrator.results.answers.scaling.schemas import ScalingAnswer
from orchestrator.web.charts import scaling
from tests.support.drawing import svg
from tests.unit.web.charts.builders import line, rows


class TestScaling:
    ANSWER = ScalingAnswer(
        run_id="r", measure="pass", rows=[line(provider="own"), line(provider="botan", copy_number=2)]
    )

    def test_candidate_names_contain_the_differing_properties_and_length_0_is_left_out(self) -> None:
        drawn_rows = rows(scaling.spec(self.ANSWER, "a"))
        assert {row["series"] for row in drawn_rows} == {"aes-128-ctr own #1", "aes-128-ctr botan #2"}
        assert {row["length_bytes"] for row in drawn_rows} == {64, 4096}


def test_many_candidates_are_rows_of_cost_per_byte_and_start_up() -> None:
    candidates = [line(algorithm=f"cipher-{number:02}", per_byte_ns=1.0 + number) for number in range(30)]
    found = scaling.spec(ScalingAnswer(run_id="r", measure="pass", rows=candidates), None)
    assert found["title"] == "The cheapest 12 of 30 series"
    assert found["facet"]["sort"] == ["Cost per byte", "Start-up"]
    assert found["spec"]["layer"][1]["encoding"]["y"]["sort"] == [f"cipher-{number:02}" for number in range(12)]
    assert found["resolve"] == {"scale": {"x": "independent"}}
    assert svg(found).count("cipher-") >= 12
