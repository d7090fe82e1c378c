"""Pictures and the chart library come from a process of their own."""

import pytest

from orchestrator.shared.errors import Unavailable
from orchestrator.web import vega

POINT = {
    "data": {"values": [{"a": 1}]},
    "mark": "point",
    "encoding": {"x": {"field": "a", "type": "quantitative"}},
}


def test_picture_is_svg() -> None:
    assert vega.picture(POINT).startswith(b"<svg")


@pytest.mark.parametrize(("form", "start"), [("png", b"\x89PNG\r\n"), ("pdf", b"%PDF-")])
def test_picture_in_another_format(form: vega.PictureFormat, start: bytes) -> None:
    assert vega.picture(POINT, form).startswith(start)


def test_invalid_chart_is_unavailable_with_the_reason() -> None:
    with pytest.raises(Unavailable, match="The program that makes the picture ended with 1: "):
        vega.picture({"mark": 7})
