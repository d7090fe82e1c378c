import subprocess
import sys

import pytest

# pydantic-settings and Celery import yaml and cryptography by themselves where these happen to be installed.
NOT_ON_A_DEVICE = ("fastapi", "starlette", "sqlalchemy", "alembic", "numpy", "altair", "uvicorn")


class TestWhatADeviceNeeds:
    @pytest.mark.parametrize("module", ["daemon.program", "cli.daemon", "cli.main", "metrics.registry"])
    def test_nothing_of_the_service_is_imported(self, module: str) -> None:
        """A 32-bit Raspberry Pi has no wheel of most of these."""
        script = f"import sys, orchestrator.{module}; print([m for m in {NOT_ON_A_DEVICE!r} if m in sys.modules])"

        seen = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout

        assert seen.strip() == "[]"
