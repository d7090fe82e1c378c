"""Commands start without packages and modules that they do not use."""

import subprocess
import sys

import pytest

from orchestrator.cli.exit_codes import ExitCode
from tests.support.commands import executed
from tests.support.paths import REPOSITORY

NEVER = (
    "alembic",
    "celery",
    "fastapi",
    "httpx",
    "numpy",
    "pydantic_settings",
    "redis",
    "scipy",
    "sqlalchemy",
    "structlog",
)
BEFORE_THE_RESULT = (*NEVER, "rich")
"""Typer imports pydantic itself when it reads the arguments."""
OURS = (
    "orchestrator.shared.settings",
    "orchestrator.wire.plans",
    "orchestrator.wire.records",
    "orchestrator.wire.runners",
)


def imported(code: str) -> set[str]:
    """Return the modules that a new interpreter has after the code."""
    code += "\nimport sys; sys.__stdout__.write('\\n'.join(['', 'MODULES', *sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    return set(done.stdout.partition("MODULES\n")[2].split())


@pytest.fixture(scope="module")
def modules_of_the_command() -> set[str]:
    return imported("import orchestrator.cli.main, orchestrator.cli.commands.measure")


@pytest.mark.parametrize("package", [*BEFORE_THE_RESULT, "pydantic", *OURS])
def test_command_is_imported_without(modules_of_the_command: set[str], package: str) -> None:
    assert package not in modules_of_the_command


@pytest.mark.parametrize(
    ("code", "unneeded"),
    [
        (
            "from orchestrator.cli.commands import agents, audit, compare, imports, papers, runs, status, submit, "
            "token, traffic, watch",
            {"fastapi", "scipy", "sqlalchemy"},
        ),
        # Most of these packages have no wheel for a 32-bit Raspberry Pi. pydantic-settings and Celery import yaml and
        # cryptography if they are installed.
        (
            "import orchestrator.daemon.program, orchestrator.cli.commands.daemon, orchestrator.cli.main",
            {"fastapi", "starlette", "sqlalchemy", "alembic", "numpy", "uvicorn"},
        ),
        # It has no PyYAML either; one import in corpus/__init__.py would require it.
        ("import corpus.store", {"yaml", "httpx", "pydantic"}),
        (
            "import orchestrator.wire.metrics.registry, orchestrator.results.export.rows, "
            "orchestrator.results.service, orchestrator.results.validation",
            {"psutil", "orchestrator.measurement"},
        ),
    ],
    ids=["client", "device", "corpus", "metrics"],
)
def test_program_is_imported_without_packages_that_it_does_not_need(code: str, unneeded: set[str]) -> None:
    assert not imported(code) & unneeded


@pytest.mark.parametrize(
    ("arguments", "modules"),
    [(["measure", "--", "no-such-program"], {"measure"}), (["--help"], set()), (["mesure"], set())],
)
def test_only_the_module_of_the_used_command_is_imported(arguments: list[str], modules: set[str]) -> None:
    code = f"import sys; sys.argv[1:] = {arguments}\nfrom orchestrator.cli.main import main\n"
    found = imported(f"{code}try: main()\nexcept SystemExit: pass")

    commands = "orchestrator.cli.commands."
    assert {name.removeprefix(commands) for name in found if name.startswith(commands)} == modules


def test_mistyped_command_is_suggested() -> None:
    done = executed({}, "mesure")
    assert (done.returncode, "Did you mean 'measure'" in done.stderr) == (2, True)


NOT_IN_A_DAEMON = ("rich", "pygments", "typer", "opentelemetry", "attr", "numpy", "jinja2")


def test_daemon_process_has_no_package_of_the_command_line() -> None:
    """They took 8 MiB of a device's memory; structlog, httpx and redis-py import them where they are installed."""
    script = (
        "import sys, runpy, atexit\n"
        "from orchestrator.cli.processes import daemon\n"
        f"atexit.register(lambda: print([m for m in {NOT_IN_A_DAEMON!r} if sys.modules.get(m) is not None]))\n"
        "daemon.main()"
    )

    # Its process is started with -OO: no import needs a docstring.
    done = subprocess.run([sys.executable, "-OO", "-c", script], capture_output=True, text=True, check=False)

    assert "daemon enroll" in done.stderr
    assert done.returncode == ExitCode.SETUP
    assert done.stdout.strip() == "[]"
