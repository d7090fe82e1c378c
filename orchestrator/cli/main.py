"""The program ``ciphermark``: finds the command, and turns errors into one clear message and a documented exit code.

A command's module is imported when the command is used: ``ciphermark daemon`` must start on a 32-bit Raspberry Pi that
has neither FastAPI nor SQLAlchemy, and everything must start quickly.
"""

import importlib
import json
import os
import sys
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup

from orchestrator import __version__
from orchestrator.cli.exit_codes import ExitCode, exit_code
from orchestrator.errors import CiphermarkError, SetupError

COMMANDS: dict[str, tuple[str, str]] = {
    "up": ("up", "Start everything on this machine; print the dashboard's address."),
    "demo": ("demo", "Measure a small real plan through the whole path and print the answer."),
    "measure": ("measure", "Measure any program of this machine: time, CPU, peak memory; compare several."),
    "submit": ("submit", "Submit a plan, or preview it."),
    "runs": ("runs", "List, show, watch, cancel, pause, resume and export runs."),
    "agents": ("agents", "List, show, check, approve and revoke agents."),
    "daemon": ("daemon", "On a device: enroll it, start its daemon, show its inventory."),
    "corpus": ("corpus", "Build, list, verify and add input chunks."),
    "runners": ("runners", "Build, list and verify the native runners."),
    "token": ("token", "Create, list and revoke tokens; log in to the dashboard."),
    "doctor": ("doctor", "Say what is missing here, and how to get it."),
    "service": ("service", "Start the service alone (systemd, compose)."),
    "scheduler": ("scheduler", "Start the scheduler alone (systemd, compose)."),
}
"""Command → its module in this package, and its line in the help."""


_COMPLETION = ("install_completion", "show_completion")
"""Options that Typer gives to every application, of which each command here is one."""


@dataclass(frozen=True)
class Connection:
    """Which service to speak to, as said on the command line."""

    url: str | None = None
    token: str | None = None


class _LazyGroup(TyperGroup):
    """Imports the module of a command when the command is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, summary = COMMANDS[cmd_name]
        app = _typer_app(cmd_name, module)
        command = typer.main.get_command(app)
        command.name = cmd_name
        command.help = command.help or summary
        command.short_help = summary
        command.params = [option for option in command.params if option.name not in _COMPLETION]
        return command


def _typer_app(name: str, module: str) -> typer.Typer:
    try:
        app: typer.Typer = importlib.import_module(f"{__package__}.{module}").app
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("orchestrator"):
            raise
        return _not_installed(name, error.name or "a package")
    return app


def _not_installed(name: str, missing: str) -> typer.Typer:
    app = typer.Typer()

    @app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
    def refuse() -> None:
        raise SetupError(
            f"'ciphermark {name}' needs {missing}, which is not installed here.",
            remedy="Install the whole: pip install 'ciphermark[service]' (a device needs ciphermark[agent] alone).",
        )

    return app


app = typer.Typer(
    cls=_LazyGroup,
    name="ciphermark",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Which cipher, library, compiler and flags should this device use, and how sure are we?",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ciphermark {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    ctx: typer.Context,
    url: Annotated[
        str | None, typer.Option(help="The service's address; else CIPHERMARK_URL, else the local one.")
    ] = None,
    token: Annotated[str | None, typer.Option(help="Else CIPHERMARK_TOKEN, else the local one's.")] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    ctx.obj = Connection(url, token)


def main() -> None:
    """Execute the command of this process's arguments and end with its exit code."""
    try:
        app()
    except CiphermarkError as error:
        _report(error)
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        # Whoever read our output has enough of it; the interpreter must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(ExitCode.OK)


def _report(error: CiphermarkError) -> None:
    if "--json" in sys.argv[1:]:
        told = {"error": error.kind(), "detail": error.detail, "remedy": error.remedy, "field": error.field}
        sys.stderr.write(json.dumps(told, ensure_ascii=False) + "\n")
        return
    message = Text.assemble(("error: ", "bold red"), error.detail)
    if error.field:
        message.append(f" (field {error.field})")
    if error.remedy:
        message.append(f"\n{error.remedy}")
    Console(stderr=True, highlight=False, soft_wrap=True).print(message)


if __name__ == "__main__":
    main()
