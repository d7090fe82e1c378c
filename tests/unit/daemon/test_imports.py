import subprocess
import sys

from orchestrator.cli.exit_codes import ExitCode

# pydantic-settings and Celery import yaml and cryptography if they are installed.
NOT_ON_A_DEVICE = ("fastapi", "starlette", "sqlalchemy", "alembic", "numpy", "uvicorn")


NOT_IN_A_DAEMON = ("rich", "pygments", "typer", "opentelemetry", "attr", "numpy", "jinja2")


ON_A_DEVICE = ("daemon.program", "cli.commands.daemon", "cli.main", "wire.metrics.registry")


class TestDeviceImports:
    def test_programs_of_a_device_import_nothing_of_the_service(self) -> None:
        """Most of these packages have no wheel for a 32-bit Raspberry Pi."""
        imported = ", ".join(f"orchestrator.{module}" for module in ON_A_DEVICE)
        script = f"import sys, {imported}; print([m for m in {NOT_ON_A_DEVICE!r} if m in sys.modules])"

        seen = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

        assert seen.strip() == "[]"

    def test_daemon_process_has_no_package_of_the_command_line(self) -> None:
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
