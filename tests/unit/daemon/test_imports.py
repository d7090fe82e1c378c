import subprocess
import sys

from orchestrator.cli.exit_codes import ExitCode

NOT_IN_A_DAEMON = ("rich", "pygments", "typer", "opentelemetry", "attr", "numpy", "jinja2")


class TestDeviceImports:
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
