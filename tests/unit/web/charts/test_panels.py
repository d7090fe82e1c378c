from orchestrator.web.charts.panels import Drawn, shown, spec
from tests.unit.web.charts.builders import mark, rows


def drawn(*lengths: int) -> Drawn:
    marks = [mark("a", "gcc", length, 70.0) for length in lengths]
    return Drawn(marks, title="Time", scale={}, axis={}, unit="ns", even=1.0)


def test_length_0_is_left_out_only_over_several_lengths() -> None:
    assert [one.length_bytes for one in shown(drawn(0, 64, 128).marks)] == [64, 128]
    assert [one.length_bytes for one in shown(drawn(0, 64).marks)] == [0, 64]


def test_several_lengths_are_an_axis_and_one_length_gives_rows() -> None:
    fields = [spec(drawn(*lengths))["spec"]["layer"][1]["encoding"]["x"]["field"] for lengths in ((64, 128), (64,))]
    assert fields == ["length_bytes", "value"]


def test_line_without_a_difference_is_drawn_at_its_value() -> None:
    found = spec(drawn(64, 128))
    assert found["spec"]["layer"][-1]["encoding"]["y"]["datum"] == 1.0
    assert len(rows(found)) == 2
