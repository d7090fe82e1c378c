"""Charts drawn within the process of a test: the service starts another one for each, which takes a second."""

from typing import Any

import vl_convert


def svg(spec: dict[str, Any]) -> str:
    """Return a specification drawn as SVG, as `orchestrator.web.charts.theme.svg` does."""
    return str(vl_convert.vegalite_to_svg(spec | {"background": "white"}))
