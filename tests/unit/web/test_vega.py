"""Pictures and the chart library come from a process of their own."""

import pytest

from orchestrator.shared.errors import Unavailable
from orchestrator.web import vega


def test_invalid_chart_is_unavailable_with_the_reason() -> None:
    with pytest.raises(Unavailable, match="The program that makes the picture ended with 1: "):
        vega.picture({"mark": 7})
