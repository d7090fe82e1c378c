"""Every path in CONTRIBUTING exists, and a file in a plug-in folder is found because it is there."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import REPOSITORY

GUIDE = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
PATHS = re.compile(r"`((?:orchestrator|runners|docs|tests|scripts|migrations)/[^`]+)`")


def rows() -> list[list[str]]:
    """Return the cells of every row: what is added, new files, edited files."""
    table = re.findall(r"^\| (an? .+) \| (.+) \| (.+) \|$", GUIDE, re.MULTILINE)
    return [list(row) for row in table]


def paths(cell: int) -> list[str]:
    """Return the paths in a cell of all rows as patterns."""
    found = {path for row in rows() for path in PATHS.findall(row[cell])}
    return sorted(re.sub(r"<\w+>", "*", path) for path in found)


@pytest.mark.parametrize("pattern", paths(1))
def test_folder_of_a_new_file_exists(pattern: str) -> None:
    assert [path for path in REPOSITORY.glob(str(Path(pattern).parent)) if path.is_dir()]


@pytest.mark.parametrize("pattern", paths(2))
def test_edited_file_exists(pattern: str) -> None:
    assert list(REPOSITORY.glob(pattern))


# A minimal module of each plug-in folder.
PLUG_INS = {
    "wire/metrics/planted.py": """
from orchestrator.wire.metrics.registry import Metric
METRICS = (Metric("planted_bytes", "bytes", "a test", "1 byte", "Planted."),)
""",
    "shared/exporters/planted.py": """
NAME, MEDIA_TYPE = "planted", "text/plain"
def stream(columns, rows): yield b""
""",
    "results/imports/formats/planted.py": """
NAME, TITLE, COMMAND, SCOPE, DISPERSION = "planted", "Planted", "", "", ""
def recognizes(document): return False
def parse(document): raise ValueError("planted by a test")
""",
    "measurement/sensors/planted.py": """
from orchestrator.measurement.sensors.base import Found
KIND = "planted"
def find(roots): return Found(absent="planted by a test")
""",
    "measurement/preflight/planted.py": """
def check(roots, context): raise ValueError("planted by a test")
""",
    "cli/commands/planted.py": '"""Planted."""\n',
    "web/runs/planted.py": """
from orchestrator.web.routing import page_router
router = page_router()
@router.get("/planted-page")
def page() -> str: return ""
""",
    "web/charts/planted.py": """
from orchestrator.web.charts.response import chart_router
router = chart_router()
@router.get("/planted-chart")
def chart() -> str: return ""
""",
}
PLUG_IN_KINDS = ("metrics", "exporters", "imports", "sensors", "preflight", "commands", "pages", "charts")
DISCOVER = """
import json
from pathlib import Path
from orchestrator.shared.exporters import exporters
from orchestrator.results.imports.formats import formats
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.all_checks import all_checks
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.wire.metrics.registry import registry

from orchestrator.cli.main import command_names
from orchestrator.web import charts, runs
from orchestrator.web.routing import routers_in

nowhere = Path("/nowhere")
roots = Roots(proc=nowhere, sys=nowhere, etc=nowhere, dev=nowhere, search_path="/nowhere")
print(json.dumps({
    "metrics": "planted_bytes" in registry(),
    "exporters": "planted" in exporters(),
    "imports": "planted" in formats(),
    "sensors": "planted" in find_sensors(roots).absent,
    "preflight": "planted" in {check.name for check in all_checks()},
    "commands": "planted" in command_names(),
    "pages": "/planted-page" in {route.path for router in routers_in(runs) for route in router.routes},
    "charts": "/planted-chart" in {route.path for router in routers_in(charts) for route in router.routes},
}))
"""


@pytest.mark.long
def test_plug_ins_are_found_because_they_are_there(tmp_path: Path) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "orchestrator", tmp_path / "orchestrator", ignore=ignored)
    for path, text in PLUG_INS.items():
        (tmp_path / "orchestrator" / path).write_text(text, encoding="utf-8")

    ended = subprocess.run([sys.executable, "-c", DISCOVER], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert ended.stderr == ""
    assert json.loads(ended.stdout) == dict.fromkeys(PLUG_IN_KINDS, True)
