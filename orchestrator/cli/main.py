"""The program ``ciphermark``: finds the command and turns errors into one message and a documented exit code.

Each module in ``cli/commands`` is a command, with its summary as docstring. It is imported when the command is used:
``ciphermark daemon`` starts on a 32-bit Raspberry Pi without FastAPI and SQLAlchemy, and every command starts quickly.
"""

import errno
import importlib
import json
import os
import pkgutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from orchestrator import __version__
from orchestrator.cli import commands
from orchestrator.cli.exit_codes import ExitCode, exit_code
from orchestrator.shared.errors import CiphermarkError, NoRoom
from orchestrator.shared.extras import not_installed

_COMPLETION = ("install_completion", "show_completion")
"""Options that Typer adds to every application; each command here is one."""
_NOT_OURS = (errno.EACCES, errno.EDQUOT, errno.ENOSPC, errno.EROFS)
"""Errors of a file, or of the output, that its disk or its permissions cause."""


@dataclass(frozen=True)
class Connection:
    """Address of the service and file with the token, as given on the command line."""

    url: str | None = None
    token_file: Path | None = None


def command_names() -> list[str]:
    """Return the names of all commands."""
    return sorted(module.name for module in pkgutil.iter_modules(commands.__path__))


def _summary(name: str) -> str:
    """Return the first line of a command module without importing the module, whose packages may be missing."""
    with (Path(commands.__path__[0]) / f"{name}.py").open(encoding="utf-8") as source:
        return source.readline().strip().strip('"')


class _LazyGroup(TyperGroup):
    """Lists the commands by their summaries, and imports the module of the one that is used."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, short_help=_summary(name)) for name in command_names()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, listed, rest = super().resolve_command(ctx, args)
        if name is None or listed is None:
            return name, listed, rest
        command = typer.main.get_command(_typer_app(name))
        command.name = name
        command.help = command.help or listed.short_help
        command.params = [option for option in command.params if option.name not in _COMPLETION]
        return name, command, rest


def _typer_app(name: str) -> typer.Typer:
    try:
        app: typer.Typer = importlib.import_module(f"{commands.__name__}.{name}").app
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("orchestrator"):
            raise
        return _not_installed(name, error.name or "a package")
    if "structlog" in sys.modules:
        from orchestrator.shared.logs import configure  # noqa: PLC0415 - commands without logs do not import it

        # Without a configuration structlog writes to standard output, into JSON. Programs of the service set their own.
        configure("warning")
    return app


def _not_installed(name: str, missing: str) -> typer.Typer:
    app = typer.Typer()

    @app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
    def refuse() -> None:
        raise not_installed(f"'ciphermark {name}'", missing, "agent" if name == "daemon" else "service")

    return app


app = typer.Typer(
    cls=_LazyGroup,
    name="ciphermark",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Which cipher, library, compiler and flags should this device use, and how sure are we?",
)


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"ciphermark {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    ctx: typer.Context,
    url: Annotated[
        str | None,
        typer.Option(help="Address of the service. Default: CIPHERMARK_URL, else the service on this machine."),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(help="File with the token. Default: CIPHERMARK_TOKEN, else the one of this machine's service."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    ctx.obj = Connection(url, token_file)


def main() -> None:
    """Run the command in this process's arguments and exit with its code."""
    try:
        app()
    except CiphermarkError as error:
        _report(error)
        sys.exit(exit_code(error))
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except SystemExit as ending:
        # Click and rich end with 1 when the reader closed the pipe.
        if not isinstance(ending.__context__, BrokenPipeError):
            raise
        _discard_output()
        sys.exit(ExitCode.OK)
    except OSError as error:
        if error.errno not in _NOT_OURS:
            raise
        found = NoRoom(
            f"{error.filename or 'Standard output'}: {error.strerror}.",
            remedy="Make room on its disk, or name a place that this user may read and write.",
        )
        _report(found)
        _discard_output()
        sys.exit(exit_code(found))


def _discard_output() -> None:
    """Discard what is buffered; without this the interpreter reports the failed flush at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(error: CiphermarkError) -> None:
    if "--json" in sys.argv[1:]:
        document = {"error": error.kind(), "detail": error.detail, "remedy": error.remedy, "field": error.field}
        sys.stderr.write(json.dumps(document, ensure_ascii=False) + "\n")
        return
    from rich.console import Console  # noqa: PLC0415 - only errors need it
    from rich.text import Text  # noqa: PLC0415

    message = Text.assemble(("error: ", "bold red"), error.detail)
    if error.field and f"{error.field}:" not in error.detail:
        message.append(f" (field {error.field})")
    if error.remedy:
        message.append(f"\n{error.remedy}")
    Console(stderr=True, highlight=False, soft_wrap=True).print(message)


if __name__ == "__main__":
    main()
