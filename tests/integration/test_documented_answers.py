"""The answers of the documentation: its commands, executed on stored measured runs, print the lines that it shows."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestrator.service.security import tokens
from tests.support import measured_runs
from tests.support.documentation import Block, all_blocks, missing_lines
from tests.support.live_service import serve

COLUMNS = "120"
"""Width of the documented outputs."""
SECONDS = 60
BLOCKS = [block for block in all_blocks() if block.stored_run]


@pytest.fixture(scope="module")
def environment(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Environment of a client whose service has the run that the parameter names, and no other one."""
    folder: Path = tmp_path_factory.mktemp("stored")
    with serve(folder / "data", cache_folder=folder / "cache") as served:
        measured_runs.store(served.database, request.param)
        with served.database.write() as session:
            _, token = tokens.create(session, "viewer", "reader of the documentation", None)
        yield os.environ | {
            "CIPHERMARK_URL": served.url,
            "CIPHERMARK_TOKEN": token,
            "CIPHERMARK_DATA_FOLDER": str(folder / "client"),
            "COLUMNS": COLUMNS,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }


def test_documentation_has_answers_of_stored_runs() -> None:
    assert {block.stored_run for block in BLOCKS} == set(measured_runs.names())


@pytest.mark.parametrize(
    ("environment", "block"), [(block.stored_run, block) for block in BLOCKS], ids=str, indirect=["environment"]
)
def test_commands_print_the_shown_lines(environment: dict[str, str], block: Block, tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block.text],
        cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        timeout=SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, f"{block} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    assert missing_lines(block.output, done.stdout) == [], f"{block} printed:\n{done.stdout}"
