"""Log lines of commands go to standard error."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.paths import REPOSITORY


def test_log_lines_are_not_mixed_with_json(tmp_path: Path) -> None:
    """The line about a removed build was printed before the JSON."""
    build = tmp_path / "builds" / "damaged"
    build.mkdir(parents=True)
    (build / "build.json").write_text("{}")

    done = subprocess.run(
        [sys.executable, "-m", "orchestrator.cli.main", "runners", "list", "--json"],
        capture_output=True,
        text=True,
        check=True,
        cwd=REPOSITORY,
        env={**os.environ, "CIPHERMARK_CACHE_FOLDER": str(tmp_path)},
    )

    assert json.loads(done.stdout) == []
    assert "build in the cache is damaged; removed" in done.stderr
    assert not build.exists()
