"""The answers of the documentation: its commands, executed on stored measured runs, print the lines that it shows."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import measured_runs
from tests.support.commands import executed
from tests.support.documentation import Block, all_blocks, missing_lines
from tests.support.live_service import serve

COLUMNS = "120"
"""Width of the documented outputs."""
BLOCKS = [block for block in all_blocks() if block.stored_run]


@pytest.fixture(scope="module")
def environment(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Environment of a client whose service has the run that the parameter names, and no other one."""
    folder: Path = tmp_path_factory.mktemp("stored")
    with serve(folder / "data", cache_folder=folder / "cache") as served:
        measured_runs.store(served.database, request.param)
        yield os.environ | {
            "CIPHERMARK_URL": served.url,
            "CIPHERMARK_TOKEN": served.token("viewer"),
            "CIPHERMARK_DATA_FOLDER": str(folder / "client"),
            "COLUMNS": COLUMNS,
        }


def test_documentation_has_answers_of_stored_runs() -> None:
    assert {block.stored_run for block in BLOCKS} == set(measured_runs.names())


@pytest.mark.parametrize(
    ("environment", "block"), [(block.stored_run, block) for block in BLOCKS], ids=str, indirect=["environment"]
)
def test_commands_print_the_shown_lines(environment: dict[str, str], block: Block) -> None:
    printed = ""
    for program, *arguments in map(shlex.split, block.text.splitlines()):
        assert program == "ciphermark"
        done = executed(environment, *arguments)
        assert done.returncode == 0, f"{block} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        printed += done.stdout
    assert missing_lines(block.output, printed) == [], f"{block} printed:\n{printed}"
