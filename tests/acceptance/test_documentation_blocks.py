"""The commands and plans of the documentation, in the order of the pages, on a system that starts empty."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.documentation import COMMANDS, FRAGMENT, PLAN, Block, all_blocks
from tests.support.paths import REPOSITORY
from tests.support.system import System

DOCUMENTED_ADDRESS = "127.0.0.1:8451"
"""Address of the service in the documentation; the one of this test replaces it."""
BLOCKS = [
    block for block in all_blocks() if (block.language == COMMANDS and block.is_executed) or block.language == PLAN
]


def plan_of(block: Block) -> dict[str, Any]:
    """Return the plan of a block; a fragment is a part of the last complete plan above it."""
    plan: dict[str, Any] = yaml.safe_load(block.text)
    if block.marker != FRAGMENT:
        return plan
    above = [one for one in BLOCKS if one.page == block.page and one.language == PLAN and one.line < block.line]
    return plan_of([one for one in above if one.marker != FRAGMENT][-1]) | plan


@dataclass
class Reader:
    """A reader of the documentation, in a folder like a clone of the repository."""

    system: System
    folder: Path

    def execute(self, block: Block) -> None:
        """Execute the commands as a shell does that stops at the first failure."""
        address = str(self.system.client.base_url.netloc, "ascii")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block.text.replace(DOCUMENTED_ADDRESS, address)],
            cwd=self.folder,
            env=self.system.environment | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
        assert done.returncode == 0, f"{block} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"

    def preview(self, block: Block) -> None:
        """Let the planner validate a plan."""
        plan = plan_of(block)
        if block.file_name:
            (self.folder / block.file_name).write_text(block.text)
        # Agents of the examples do not exist here; every other key is validated as it is.
        answer = self.system.client.post("/plans/preview", json={"plan": plan | {"agents": ["*"]}})
        if "requires" in plan and answer.status_code == 422:
            # This machine may lack what the example requires, which is found after the whole plan was read.
            assert answer.json()["field"] == "requires", answer.text
            assert answer.json()["facts"]["agents"], answer.text
            return
        assert answer.is_success, answer.text
        assert answer.json()["executions_total"] > 0, block


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory, cache_folder: Path) -> Iterator[Reader]:
    folder = tmp_path_factory.mktemp("clone")
    (folder / ".venv").symlink_to(Path(sys.executable).parents[1])
    shutil.copytree(REPOSITORY / "plans", folder / "plans")
    shutil.copy(REPOSITORY / "README.md", folder)
    with System(tmp_path_factory.mktemp("data"), cache_folder, with_corpus=False) as system:
        yield Reader(system, folder)


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory, system: System) -> Reader:
    """Return a reader who executes nothing, for the system of other tests."""
    return Reader(system, tmp_path_factory.mktemp("plans"))


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.language == PLAN], ids=str)
def test_plan_of_the_documentation_is_valid(author: Reader, block: Block) -> None:
    author.preview(block)


@pytest.mark.long  # The commands measure for minutes, and each needs those before it.
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_block_of_the_documentation(reader: Reader, block: Block) -> None:
    if block.language == COMMANDS:
        reader.execute(block)
    else:
        reader.preview(block)
