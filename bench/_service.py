"""A service of its own, started by its command, and the memory of processes."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psutil

from orchestrator.shared.settings import CommonSettings

PORT = 18451
URL = f"http://127.0.0.1:{PORT}"
START_SECONDS = 120


@contextmanager
def started(folder: Path) -> Iterator[psutil.Process]:
    """Run ``ciphermark service`` in a data folder on loopback until the end of the block."""
    environment = os.environ | {"CIPHERMARK_DATA_FOLDER": str(folder), "CIPHERMARK_PORT": str(PORT)}
    environment |= {"CIPHERMARK_CACHE_FOLDER": str(CommonSettings().cache_folder)}
    command = [sys.executable, "-m", "orchestrator.cli.main", "service"]
    with (folder / "service.log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        _wait()
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(20)


def _wait() -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        with suppress(httpx.TransportError):
            if httpx.get(f"{URL}/api/v1/health").is_success:
                return
        time.sleep(0.1)
    raise SystemExit(f"The service did not answer at {URL} within {START_SECONDS} s.")


def memory_bytes(process: psutil.Process) -> dict[str, int]:
    """Return the sizes of a process: ``Pss`` counts pages that others share in part, ``Rss`` in full."""
    lines = Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines()[1:]
    return {line.split(":")[0]: int(line.split()[1]) * 1024 for line in lines}
