import subprocess
import sys

import pytest

# pydantic-settings and Celery import yaml and cryptography if they are installed.
NOT_ON_A_DEVICE = ("fastapi", "starlette", "sqlalchemy", "alembic", "numpy", "altair", "uvicorn")


class TestDeviceImports:
    @pytest.mark.parametrize("module", ["daemon.program", "cli.commands.daemon", "cli.main", "metrics.registry"])
    def test_daemon_imports_nothing_of_the_service(self, module: str) -> None:
        """Most of these packages have no wheel for a 32-bit Raspberry Pi."""
        script = f"import sys, orchestrator.{module}; print([m for m in {NOT_ON_A_DEVICE!r} if m in sys.modules])"

        seen = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

        assert seen.strip() == "[]"
