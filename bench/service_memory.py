"""Memory of the service while pages are open: PSS of its process over time.

A data folder is filled with runs of both protocols, one of them large. The service is started by its command. Clients
load pages, charts, pictures, lists and exports in a loop, and event streams stay open, as browsers do. The processes
that the service starts for a moment are listed separately.

Usage: .venv/bin/python bench/service_memory.py [--minutes 60] [--streams 20] [--executions 100000] [--pause 1.0]
"""

import re
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import psutil

from bench._options import options
from bench._service import URL, memory_bytes, started
from orchestrator.database.engine import Database
from orchestrator.database.migrate import bring_up_to_date
from orchestrator.shared.units import MIB
from tests.support import latency_results
from tests.support.database import Shape, fill

LIMIT_MIB = 160
CASES_OF_A_RUN = 160
"""Cases of the default shape."""
RUNS = ("demo00000001", "demo00000002", "demo00000003", "large0000001", "open00000001", "calls0000001")
CLIENTS = 6
REPORT_SECONDS = 30


def fill_folder(folder: Path, executions: int) -> None:
    """Write finished runs, one of them large, a run that is still executed, and a run of timed calls."""
    url = f"sqlite:///{folder / 'ciphermark.sqlite'}"
    bring_up_to_date(url)
    database = Database(url)
    for run_id in RUNS[:3]:
        fill(database, Shape(run_id=run_id))
    fill(database, Shape(run_id=RUNS[3], repetitions=max(6, executions // CASES_OF_A_RUN), with_curves=False))
    fill(database, Shape(run_id=RUNS[4], state="running", done=0.5))
    latency_results.fill_calls(database, latency_results.Shape(run_id=RUNS[5], repetitions=12))
    database.close()


def pss_mib(process: psutil.Process) -> float:
    """Return the proportional set size of a process."""
    return memory_bytes(process)["Pss"] / MIB


def children_mib(process: psutil.Process) -> float:
    """Return the sum over the processes that the service has started and that still exist."""
    total = 0.0
    for child in process.children(recursive=True):
        with suppress(psutil.NoSuchProcess, OSError):
            total += pss_mib(child)
    return total


def hold_stream(run_id: str | None, stop: threading.Event) -> None:
    """Read an event stream until the end, as an open page does."""
    path = "/api/v1/events" if run_id is None else f"/api/v1/runs/{run_id}/events"
    while not stop.is_set():
        with suppress(httpx.HTTPError), httpx.stream("GET", URL + path, timeout=15) as stream:
            for _ in stream.iter_lines():
                if stop.is_set():
                    return


def answered(client: httpx.Client, path: str, **parameters: str | int) -> httpx.Response:
    """Return the answer to a request, repeated while the service is overloaded."""
    while (answer := client.get(path, params=parameters)).status_code in {429, 503}:
        time.sleep(float(answer.headers.get("Retry-After", "1")))
    return answer.raise_for_status()


def addresses(client: httpx.Client) -> list[str]:
    """Return the pages that the dashboard links, their charts as data and as pictures, lists and exports."""
    found: list[str] = ["/", "/agents", "/api/v1/runs", "/api/v1/openapi.json"]
    for agent in answered(client, "/api/v1/agents").json()["items"]:
        found.append(f"/agents/{agent['id']}")
    for run_id in RUNS:
        pages = [f"/runs/{run_id}", f"/runs/{run_id}/answer", f"/runs/{run_id}/scaling"]
        for page in pages:
            text = answered(client, page).text
            found += re.findall(r'(?:data-spec|src)="(/[^"]+/charts/[^"]+)"', text.replace("&amp;", "&"))
        executions = answered(client, f"/api/v1/runs/{run_id}/executions", state="ok", limit=2).json()["items"]
        cases = {f"/cases/{one['case_id']}" for one in executions}
        found += [*pages, *cases, *(f"/executions/{one['id']}" for one in executions)]
        found += [f"/api/v1/runs/{run_id}/{part}" for part in ("answer", "throughput", "scaling", "cases?limit=100")]
    found.append(f"/api/v1/runs/{RUNS[0]}/export?format=csv")
    return list(dict.fromkeys(found))


def load(deadline: float, pause: float, statuses: dict[int, int]) -> None:
    """Load all addresses again and again, a few at a time."""
    with httpx.Client(base_url=URL, timeout=120) as client:
        paths = addresses(client)
        print(f"{len(paths)} addresses", flush=True)

        def fetch(path: str) -> None:
            if time.monotonic() < deadline:
                try:
                    answer = client.get(path)
                except httpx.TransportError:  # A connection that the service had just closed: browsers repeat, too.
                    answer = client.get(path)
                statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
                if not answer.is_success:
                    print(f"{answer.status_code} {path}: {answer.text[:300]}", flush=True)
                time.sleep(pause)

        with ThreadPoolExecutor(CLIENTS) as pool:
            while time.monotonic() < deadline:
                list(pool.map(fetch, paths))


def watch(process: psutil.Process, deadline: float) -> list[float]:
    """Print the memory every half minute; return the readings in MiB."""
    begun, readings = time.monotonic(), []
    while time.monotonic() < deadline and process.is_running():
        time.sleep(min(REPORT_SECONDS, max(0.0, deadline - time.monotonic())))
        readings.append(pss_mib(process))
        print(
            f"{(time.monotonic() - begun) / 60:6.1f} min  PSS {readings[-1]:6.1f} MiB"
            f"  {process.num_threads():3d} threads  started processes {children_mib(process):5.1f} MiB", flush=True,
        )  # fmt: skip
    return readings


def main() -> int:
    """Load pages and print the memory; 1 if the last or the largest reading is above the limit."""
    given = options(__doc__, minutes=60.0, streams=20, executions=100_000, pause=1.0)
    statuses: dict[int, int] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill_folder(folder, given.executions)
        with started(folder) as process:
            print(f"after the start  PSS {pss_mib(process):6.1f} MiB", flush=True)
            stop = threading.Event()
            runs = (None, RUNS[4])
            for place in range(given.streams):
                threading.Thread(target=hold_stream, args=(runs[place % 2], stop), daemon=True).start()
            deadline = time.monotonic() + 60 * given.minutes
            loader = threading.Thread(target=load, args=(deadline, given.pause, statuses), daemon=True)
            loader.start()
            readings = watch(process, deadline)
            stop.set()
            loader.join(120)
    print(f"answers by status: {dict(sorted(statuses.items()))}")
    print(f"largest {max(readings):.1f} MiB, last {readings[-1]:.1f} MiB, aim at most {LIMIT_MIB} MiB")
    return 0 if max(readings) <= LIMIT_MIB and set(statuses) == {200} else 1


if __name__ == "__main__":
    sys.exit(main())
