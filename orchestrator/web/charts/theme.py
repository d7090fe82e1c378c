"""Colors, axes and pictures common to all charts."""

import math
from collections.abc import Sequence
from typing import Any

import altair as alt

from orchestrator.units import GIB, KIB, MIB
from orchestrator.web import vega

Spec = dict[str, Any]

PROVIDER_COLORS = {
    "own": "#0f8a7e",
    "cryptopp": "#d9822b",
    "botan": "#7a5af5",
    "openssl": "#c23b6b",
    "python": "#3776ab",
    "javascript": "#b59f00",
    "go": "#00a3cc",
}
"""Color of each provider in all charts; distinguishable with the common color-vision deficiencies."""

MANY_DECADES = 3.4

# Vega's expression language has no function for binary sizes.
SIZE_LABEL = (
    f"datum.value >= {GIB} ? datum.value / {GIB} + ' GiB' : datum.value >= {MIB} ? datum.value / {MIB} + ' MiB' : "
    f"datum.value >= {KIB} ? datum.value / {KIB} + ' KiB' : datum.value + ' B'"
)

# The page sets the colors of text and lines, because they depend on its light or dark scheme.
_CONFIG: Spec = {
    "background": "transparent",
    "font": "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif",
    "view": {"stroke": None},
    "axis": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "gridOpacity": 0.6},
    "header": {"labelFontSize": 13, "labelFontWeight": "bold", "title": None},
    "legend": {"labelFontSize": 11, "titleFontSize": 11, "titleFontWeight": "normal", "symbolStrokeWidth": 2},
}


def provider_scale(providers: list[str]) -> alt.Scale:
    """Return the color scale of these providers; providers without a color are gray."""
    return alt.Scale(domain=providers, range=[PROVIDER_COLORS.get(name, "#777777") for name in providers])


def moments(field: str) -> alt.X:
    """Return a time axis in UTC."""
    axis = alt.X(f"{field}:T").scale(type="utc").title(None)
    return axis.axis(format="%d %b %H:%M", labelAngle=0, labelOverlap=True, tickCount=4)


def log_ticks(values: Sequence[float]) -> list[float]:
    """Return round values for a logarithmic axis, one of them beyond each end."""
    if not values:
        return []
    low, high = math.log10(min(values)), math.log10(max(values))
    steps = (1,) if high - low > MANY_DECADES else (1, 2, 5)
    ticks = [step * 10.0**decade for decade in range(math.floor(low), math.ceil(high) + 1) for step in steps]
    first = max((tick for tick in ticks if tick <= min(values)), default=ticks[0])
    last = min((tick for tick in ticks if tick >= max(values)), default=ticks[-1])
    return [tick for tick in ticks if first <= tick <= last]


def finish(chart: alt.TopLevelMixin, panels: int) -> Spec:
    """Return the specification; the page divides its width by the number of panels."""
    spec: Spec = chart.to_dict()
    spec["config"] = _CONFIG
    spec["usermeta"] = {"panels": panels}
    return spec


def svg(spec: Spec) -> str:
    """Return a specification drawn as SVG, by another process; raises Unavailable."""
    return vega.picture(spec | {"background": "white"})
