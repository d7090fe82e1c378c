from hypothesis import given
from hypothesis import strategies as st

from orchestrator.web.charts.theme import log_ticks, provider_codes, series_codes
from orchestrator.web.codes import provider_code


class TestLogTicks:
    @given(st.lists(st.floats(min_value=1e-3, max_value=1e6), min_size=1))
    def test_ticks_enclose_all_values_and_are_few(self, values: list[float]) -> None:
        ticks = log_ticks(values)
        assert ticks[0] <= min(values) * (1 + 1e-9)
        assert ticks[-1] >= max(values) * (1 - 1e-9)
        assert len(ticks) <= 14

    def test_no_values_have_no_ticks(self) -> None:
        assert log_ticks([]) == []


def test_provider_has_the_same_color_and_shape_in_every_chart() -> None:
    for names in (["own", "wolfssl"], ["wolfssl"]):
        codes = provider_codes(names)
        color, shape = codes["color"]["scale"], codes["shape"]["scale"]
        assert color["domain"] == shape["domain"] == names
        code = provider_code("wolfssl")
        assert (color["range"][-1], shape["range"][-1]) == (code.color, code.shape)


def test_56_series_differ_in_color_or_shape() -> None:
    names = [f"cipher-{number}" for number in range(57)]
    found = series_codes("series", names)
    codes = list(zip(*(found[channel]["scale"]["range"] for channel in ("color", "shape")), strict=True))
    assert len(set(codes[:56])) == 56
    assert codes[56] == codes[0]
