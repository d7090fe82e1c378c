"""Update the tables of docs/api.md and docs/cli.md from the descriptions of endpoints and commands.

The rows keep their order; their texts come from the code. Usage: .venv/bin/python scripts/update_reference.py [--check]
With --check nothing is written, and the exit code is 1 if a table is out of date.
"""

import importlib
import re
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer

from orchestrator.app import create_app
from orchestrator.cli import commands as command_package
from orchestrator.cli.main import command_names
from orchestrator.shared.settings import ServiceSettings

DOCS = Path(__file__).parents[1] / "docs"
_ADDED_BY_TYPER = ("install_completion", "show_completion", "help")
_ROW = re.compile(r"^\| `([^`]+)` \|.*\|$", re.MULTILINE)


def _first_paragraph(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].replace("\b", "").split())


@cache
def openapi() -> dict[str, Any]:
    """Return the OpenAPI document, which takes seconds to make."""
    with tempfile.TemporaryDirectory() as folder:
        return create_app(ServiceSettings(data_folder=Path(folder))).openapi()


def endpoints() -> dict[str, str]:
    """Return the row of every endpoint by method and path."""
    rows = {}
    for path, operations in openapi()["paths"].items():
        for method, operation in operations.items():
            name = f"{method.upper()} {path.removeprefix('/api/v1')}"
            rows[name] = f"| `{name}` | {_first_paragraph(operation['description'])} |"
    return rows


def commands() -> dict[str, str]:
    """Return the row of every command by its name with arguments."""
    rows = {}
    for name in command_names():
        app = importlib.import_module(f"{command_package.__name__}.{name}").app
        for words, command in _leaves(name, typer.main.get_command(app)):
            options = [
                f"`{max(parameter.opts, key=len)}`"
                for parameter in command.params
                if parameter.param_type_name == "option"
                and not parameter.hidden
                and parameter.name not in _ADDED_BY_TYPER
            ]
            text = _first_paragraph(command.help or "")
            rows[words] = f"| `{words}` | {text} | {' '.join(options)} |"
    return rows


def _leaves(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Yield each command with its name and arguments: ``runs show RUN_ID``."""
    if hasattr(command, "commands"):
        for word, inner in command.commands.items():
            yield from _leaves(f"{name} {word}", inner)
        return
    arguments = [parameter for parameter in command.params if parameter.param_type_name == "argument"]
    shown = [str(argument.name).upper() for argument in arguments if argument.required and argument.nargs == 1]
    yield " ".join((name, *shown)), command


def updated(page: str, rows: dict[str, str]) -> str:
    """Return the page with the current row for each first cell that the rows have."""
    return _ROW.sub(lambda row: rows.get(row[1], row[0]), page)


def missing(page: str, rows: dict[str, str]) -> list[str]:
    """Return the rows that the page does not have."""
    return sorted(set(rows) - set(_ROW.findall(page)))


def main() -> int:
    """Update both pages; 1 if a row is missing or, with --check, out of date."""
    failed = False
    for name, rows in (("api.md", endpoints()), ("cli.md", commands())):
        path = DOCS / name
        page = path.read_text(encoding="utf-8")
        for row in missing(page, rows):
            print(f"docs/{name}: add a row for `{row}`")
            failed = True
        if updated(page, rows) != page:
            if "--check" in sys.argv:
                print(f"docs/{name} is out of date: run scripts/update_reference.py")
                failed = True
            else:
                path.write_text(updated(page, rows), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
