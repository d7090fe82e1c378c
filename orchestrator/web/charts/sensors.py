"""Chart of an agent's sensors over time: one panel for each quantity, one line for each place."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi import Response

from orchestrator.agents import service as agents
from orchestrator.service.dependencies import DatabaseDep
from orchestrator.service.security.dependencies import AgentId
from orchestrator.web.charts.leading import Top, TopDep
from orchestrator.web.charts.response import ChartFormat, chart_response, chart_router
from orchestrator.web.charts.theme import color_of, finish, moments, series_codes
from orchestrator.web.charts.vega_lite import (
    Spec,
    facets,
    highlight,
    layers,
    mark,
    number_tip,
    quantity,
    rows,
    singled_out,
    text_tip,
    where,
)
from orchestrator.web.formats import moment
from orchestrator.wire.health import SensorSample

PANEL_WIDTH = 380
PANEL_HEIGHT = 150
SHOWN_PERIOD = timedelta(hours=24)
POINTS_PER_SENSOR = 300
"""More points would cover each other."""
MARKED_EACH = 10
"""Readings between two shapes on a line."""

router = chart_router()
_UNITS = {"celsius": ("°C", 1.0), "Hz": ("MHz", 1e6)}
"""Unit of the reading → displayed unit, and its size in units of the reading."""


@router.get("/agents/{agent_id}/charts/sensors.{form}")
def sensor_chart(database: DatabaseDep, agent_id: AgentId, form: ChartFormat, top: TopDep) -> Response:
    """Draw the readings of an agent's sensors in the last day: those with the largest values of each quantity."""
    since = datetime.now(UTC) - SHOWN_PERIOD
    readings = agents.list_thinned_sensor_readings(database, agent_id, since, POINTS_PER_SENSOR)
    return chart_response(spec(readings, top), form)


def spec(readings: Sequence[SensorSample], top: Top | None = None) -> Spec:
    """Return the chart of the readings that have a value."""
    values = _leading([_row(one, one.value) for one in readings if one.value is not None], top or Top())
    places = sorted({str(row["place"]) for row in values})
    panels = list(dict.fromkeys(str(row["panel"]) for row in values))
    codes = series_codes("place", places, title=["Sensor", "(click to single out)"])
    encoding = {
        "x": moments("at"),
        "y": quantity("value", scale={"zero": False}, title=None),
        **color_of(codes),
        "opacity": singled_out("place"),
        "tooltip": [text_tip("when", "read"), text_tip("place", "sensor"), number_tip("value", "value", ",.5~g")],
    }
    line = mark("line", encoding, strokeWidth=1.4)
    # A shape at every tenth reading: shapes at all of them would hide the line.
    points = where("datum.marked", mark("point", encoding | codes, size=36, filled=True))
    panel = layers(line, points, width=PANEL_WIDTH, height=PANEL_HEIGHT)
    chart = facets(panel, rows(values), "panel", 2, panels) | {"resolve": {"scale": {"y": "independent"}}}
    return finish(highlight(chart, "place", places, line), panels=len(panels))


def _leading(values: list[dict[str, Any]], top: Top) -> list[dict[str, Any]]:
    """Return the rows of the sensors with the largest values of each panel, with a mark on every tenth reading."""
    largest: dict[str, dict[str, float]] = {}
    for row in values:
        of_panel = largest.setdefault(row["panel"], {})
        of_panel[row["place"]] = max(of_panel.get(row["place"], row["value"]), row["value"])
    shown = {
        panel: set(sorted(found, key=lambda place: (-found[place], place))[: top.limit])
        for panel, found in largest.items()
    }
    numbers = Counter[tuple[str, str]]()
    rows = []
    for row in values:
        if row["place"] in shown[row["panel"]]:
            sensor = row["panel"], row["place"]
            rows.append({**row, "marked": numbers[sensor] % MARKED_EACH == 0})
            numbers[sensor] += 1
    return rows


def sensor_labels(sensor: str) -> tuple[str, str]:
    """Return labels for quantity and place of a sensor: ``temperature``, ``cpu-thermal``."""
    quantity, _, place = sensor.partition(" ")
    return " ".join(quantity.split("_")[:-1]) or quantity, place or quantity


def display_value(value: float, unit: str) -> tuple[float, str]:
    """Return a reading in its displayed unit, and the unit."""
    words, factor = _UNITS.get(unit, (unit if unit != "1" else "", 1.0))
    return value / factor, words


def _row(reading: SensorSample, value: float) -> dict[str, Any]:
    quantity, place = sensor_labels(reading.sensor)
    value, unit = display_value(value, reading.unit)
    panel = f"{quantity.capitalize()}, {unit}" if unit else quantity.capitalize()
    return {
        "panel": panel,
        "place": place,
        "at": reading.read_at.isoformat(),
        "when": moment(reading.read_at),
        "value": value,
    }
