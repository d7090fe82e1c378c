"""The documentation lists exactly what the code has."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from orchestrator.cli.exit_codes import ExitCode
from orchestrator.database import models
from orchestrator.measurement.machine import marks
from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.all_checks import all_checks
from orchestrator.measurement.sensors.find import find_sensors
from orchestrator.wire import plans
from scripts.update_reference import commands as command_rows
from scripts.update_reference import endpoints as endpoint_rows
from scripts.update_reference import missing, updated
from tests.support.documentation import all_blocks, problems_of
from tests.support.paths import REPOSITORY

DOCS = REPOSITORY / "docs"


def listed(document: str, pattern: str) -> set[str]:
    """Return the first cells of the document's tables that match the pattern."""
    cells = re.findall(r"^\| `([^`]+)`", (DOCS / document).read_text(), flags=re.MULTILINE)
    return {cell for cell in cells if re.fullmatch(pattern, cell)}


def test_every_endpoint_is_documented() -> None:
    assert listed("api.md", r"(GET|POST|DELETE|PUT|PATCH) /\S+") == set(endpoint_rows())


def test_every_disturbance_mark_is_documented_with_its_threshold() -> None:
    section = (DOCS / "measurement.md").read_text().partition("\n## Disturbance marks\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \| ([^|]+) \|$", section, re.MULTILINE)
    declared = (one for one in vars(marks).values() if isinstance(one, marks.Mark))
    assert rows == [(mark.name, mark.threshold, mark.meaning) for mark in declared]


def test_every_condition_is_documented_and_what_tuning_does_of_it() -> None:
    section = (DOCS / "measurement.md").read_text().partition("\n## Preflight\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \| [^|]+ \| ([^|]+) \|$", section, re.MULTILINE)
    tuned = {name: not said.startswith(("–", "leaves it")) for name, said in rows}
    assert tuned == {check.name: check.settings is not None for check in all_checks()}


def test_every_kind_of_sensor_is_documented(tmp_path: Path) -> None:
    section = (DOCS / "measurement.md").read_text().partition("\n## Sensors and energy\n")[2].partition("\n## ")[0]
    nowhere = Roots(proc=tmp_path, sys=tmp_path, etc=tmp_path, dev=tmp_path, search_path=str(tmp_path))

    assert set(re.findall(r"^\| `([^`]+)` \|", section, flags=re.MULTILINE)) == set(find_sensors(nowhere).absent)


def test_every_table_is_documented() -> None:
    assert listed("schema.md", r"[a-z_]+") == set(models.Base.metadata.tables)


def test_every_key_of_a_plan_is_documented() -> None:
    messages = (
        plans.Plan, plans.Matrix, plans.Inputs, plans.Messages, plans.ToolchainAxes, plans.Precision, plans.Energy,
        plans.Conditions, plans.Masking, plans.Requirements,
    )  # fmt: skip
    rows = re.findall(r"^\| `([^`]+)` \|", (DOCS / "plans.md").read_text(), flags=re.MULTILINE)
    assert sorted(rows) == sorted(name for message in messages for name in message.model_fields)


def test_every_exit_code_is_documented() -> None:
    rows = re.findall(r"^\| (\d+) \|", (DOCS / "cli.md").read_text(), flags=re.MULTILINE)
    assert {int(row) for row in rows} == {int(code) for code in ExitCode}


@pytest.mark.parametrize(
    "link", sorted(set(re.findall(r"\]\(((?:docs|runners)/[^)#]+)\)", (DOCS.parent / "README.md").read_text())))
)
def test_every_link_of_the_readme_leads_somewhere(link: str) -> None:
    assert (DOCS.parent / link).exists()


@pytest.mark.parametrize(("page", "rows"), [("api.md", endpoint_rows), ("cli.md", command_rows)], ids=["api", "cli"])
def test_tables_of_endpoints_and_commands_are_current(page: str, rows: Callable[[], dict[str, str]]) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert missing(text, rows()) == []
    assert updated(text, rows()) == text, "run scripts/update_reference.py"


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", (DOCS / "architecture.md").read_text())))
)
def test_every_path_of_the_architecture_exists(path: str) -> None:
    assert (REPOSITORY / path).exists() or (REPOSITORY / "orchestrator" / path).exists()


def test_workflows_to_copy_are_documents_with_commands_of_this_version() -> None:
    page = (DOCS / "continuous-integration.md").read_text()
    workflows = [yaml.safe_load(text) for text in re.findall(r"^```yml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)]
    assert [next(iter(one)) for one in workflows] == ["name", "ciphermark"] * 2
    steps = [step for one in workflows if "jobs" in one for step in one["jobs"]["compare"]["steps"]]
    lines = [step.get("run", "") for step in steps]
    lines += [line for one in workflows for line in one.get("ciphermark", {}).get("script", [])]
    named = {option for line in lines if "bin/ciphermark ci " in line for option in re.findall(r"--[a-z-]+", line)}
    known = set(re.findall(r"`(--[a-z-]+)`", command_rows()["ci PLAN"]))
    assert named - known == set()
    assert {"--local", "--github", "--code-quality"} <= named


def test_every_block_of_commands_is_executed_or_marked_with_the_reason_why_not() -> None:
    assert [problem for block in all_blocks() for problem in problems_of(block)] == []
