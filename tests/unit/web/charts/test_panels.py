from orchestrator.web.charts.leading import Top
from orchestrator.web.charts.panels import ChartContents, shown, spec
from tests.unit.web.charts.builders import mark, rows


def drawn(*lengths: int) -> ChartContents:
    marks = [mark("a", "gcc", length, 70.0) for length in lengths]
    return ChartContents(marks, title="Time", scale={}, axis={}, unit="ns", words="fastest", even=1.0)


def test_length_0_is_left_out_only_over_several_lengths() -> None:
    assert [one.length_bytes for one in shown(drawn(0, 64, 128).marks)] == [64, 128]
    assert [one.length_bytes for one in shown(drawn(0, 64).marks)] == [0, 64]


def test_several_lengths_are_an_axis_and_one_length_gives_rows() -> None:
    fields = [spec(drawn(*lengths))["spec"]["layer"][1]["encoding"]["x"]["field"] for lengths in ((64, 128), (64,))]
    assert fields == ["length_bytes", "value"]


def test_many_series_are_rows_with_a_panel_for_each_length() -> None:
    marks = [
        mark(f"cipher-{number:02}", toolchain, length, 70.0 + number)
        for number in range(20) for toolchain in ("gcc", "clang") for length in (64, 128)
    ]  # fmt: skip
    found = spec(ChartContents(marks, title="Time", scale={}, axis={}, unit="ns", words="fastest"))
    assert found["title"] == "The fastest 12 of 20 series"
    assert found["facet"]["sort"] == ["encrypt, 64 B", "encrypt, 128 B"]
    assert found["spec"]["layer"][1]["encoding"]["y"]["sort"] == [f"cipher-{number:02}" for number in range(12)]
    assert {row["series"] for row in rows(found)} == {f"cipher-{number:02}" for number in range(12)}
    everything = spec(ChartContents(marks, title="Time", scale={}, axis={}, unit="ns", words="fastest"), Top(None))
    assert len({row["series"] for row in rows(everything)}) == 20
