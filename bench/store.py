"""Response times of pages and API with 100 000 stored executions.

A data folder is filled with one run of 160 cases. Then each page is fetched, and the first, the median and the slowest
of 20 fetches are printed.

Usage: .venv/bin/python bench/store.py [--repetitions 627]
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import httpx

from bench._options import options
from tests.support.database import Shape, fill
from tests.support.live_service import serve

RUN = "store0000001"
FETCHES = 20
LIMIT_MS = 300
LIMITED = ("/", f"/runs/{RUN}", "/api/v1/runs", f"/api/v1/runs/{RUN}")
OTHERS = [f"/api/v1/runs/{RUN}/{part}" for part in ("cases?limit=100", "executions", "throughput", "answer", "scaling")]


def fetch_ms(client: httpx.Client, path: str) -> list[float]:
    """Return the wall times of the fetches, in their order."""
    walls = []
    for _ in range(FETCHES):
        begin = time.monotonic()
        answer = client.get(path)
        walls.append((time.monotonic() - begin) * 1000)
        answer.raise_for_status()
    return walls


def main() -> int:
    """Fill, fetch, print; 1 when the run list or the run page is above the limit."""
    given = options(__doc__, repetitions=627)
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as served:
        fill(served.database, Shape(run_id=RUN, repetitions=given.repetitions, with_curves=False))
        print(f"{'page':<46} {'first':>8} {'median':>8} {'slowest':>8}")
        slowest = 0.0
        with served.client("admin") as client:
            for path in (*LIMITED, *OTHERS):
                walls = fetch_ms(client, path)
                slowest = max(slowest, max(walls) if path in LIMITED else 0.0)
                print(f"{path:<46} {walls[0]:>6.0f}ms {statistics.median(walls):>6.0f}ms {max(walls):>6.0f}ms")
    print(f"slowest of run list and run page {slowest:.0f} ms, aim under {LIMIT_MS} ms")
    return 0 if slowest < LIMIT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
