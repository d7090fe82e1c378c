import json
import os
from pathlib import Path

import pytest

from orchestrator.cli.supervisor.lock import UpLock
from orchestrator.shared.errors import AlreadyRunning


class TestUpLock:
    def test_second_lock_is_rejected_with_the_url_of_the_first(self, tmp_path: Path) -> None:
        with UpLock(tmp_path / "up.json") as lock:
            lock.note("http://127.0.0.1:8451")
            with pytest.raises(AlreadyRunning, match=r" at http://127\.0\.0\.1:8451") as refusal:
                UpLock(tmp_path / "up.json")
        assert refusal.value.facts == {"url": "http://127.0.0.1:8451", "pid": os.getpid()}

    def test_second_lock_is_rejected_before_the_url_is_known(self, tmp_path: Path) -> None:
        with UpLock(tmp_path / "up.json"), pytest.raises(AlreadyRunning, match="still starting"):
            UpLock(tmp_path / "up.json")

    def test_lock_file_of_a_killed_process_is_reused(self, tmp_path: Path) -> None:
        (tmp_path / "up.json").write_text(json.dumps({"pid": 1, "url": "http://elsewhere"}))
        with UpLock(tmp_path / "up.json"):
            assert json.loads((tmp_path / "up.json").read_text()) == {"pid": os.getpid(), "url": None}
