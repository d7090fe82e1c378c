"""The service under overload: a large body without a token, hostile plans, many connections and streams.

    .venv/bin/python bench/overload.py [--connections 10000] [--streams 1000]

It starts a service of its own on loopback, in an empty data folder, with its default limits. The connections come from
many loopback addresses, so that the limit of one address does not apply. Latencies of /health are those of a client
that sends 50 requests a second on one connection; memory is the resident size of the service's process.
"""

import asyncio
import os
import resource
import socket
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import httpx
import psutil

from bench._options import options
from bench._service import PORT, URL, started
from tests.support.hostile_plans import hostile_plans

HEALTH_INTERVAL_SECONDS = 0.02
CONNECTIONS_OF_ADDRESS = 500
STREAMS_OF_ADDRESS = 25
TRIES = 11


def resident_mib(process: psutil.Process) -> float:
    """Return the resident size of a process, MiB."""
    return float(process.memory_info().rss) / 2**20


def cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU time of a process so far."""
    user, system = process.cpu_times()[:2]
    return float(user + system)


def large_body(process: psutil.Process) -> None:
    """Send 60 MiB of arrays without a token, and 100 MB with one that is not valid."""
    body = b"[" + b"[]," * (60 * 2**20 // 3) + b"[]]"
    headers = {"Content-Type": "application/json"}
    before = resident_mib(process)
    with httpx.Client(base_url=f"{URL}/api/v1") as client:
        client.get("/runs")
        cpu = cpu_seconds(process)
        times_ms = sorted(asyncio.run(first_line(body)) for _ in range(TRIES))
        used_ms = 1000 * (cpu_seconds(process) - cpu) / TRIES
        print(
            f"60 MiB without a token: refused after {times_ms[0]:.1f} to {times_ms[-1]:.1f} ms, median "
            f"{times_ms[TRIES // 2]:.1f} ms; CPU of the service {used_ms:.0f} ms each"
        )
        cpu = cpu_seconds(process)
        response = client.post("/tokens", content=body, headers=headers)
        print(
            f"  sent to its end: status {response.status_code}, CPU {cpu_seconds(process) - cpu:.2f} s, memory of the "
            f"service {before:.1f} -> {resident_mib(process):.1f} MiB"
        )
        response = client.post("/plans/preview", content=b"x" * 100_000_000, headers=headers)
        print(f"100 MB body: status {response.status_code}, memory {resident_mib(process):.1f} MiB")


async def first_line(body: bytes) -> float:
    """Send a body without a token; return after how many milliseconds the refusal arrives."""
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
    head = "POST /api/v1/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    began = time.perf_counter()
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[: 2**20])
    line = await reader.readline()
    seconds = time.perf_counter() - began
    writer.transport.abort()
    assert line.split()[1] == b"401", line
    return 1000 * seconds


def previews(process: psutil.Process) -> None:
    """Preview every hostile plan."""
    worst = (0.0, 0.0, "")
    with httpx.Client(base_url=f"{URL}/api/v1", timeout=60) as client:
        for name, text in hostile_plans():
            cpu, began = cpu_seconds(process), time.perf_counter()
            status = client.post("/plans/preview", json={"plan_text": text}).status_code
            seconds = time.perf_counter() - began
            worst = max(worst, (seconds, cpu_seconds(process) - cpu, f"{name}: {status}"))
    print(f"slowest of the hostile previews: {worst[0]:.2f} s, CPU {worst[1]:.2f} s ({worst[2]})", flush=True)


async def crowd(process: psutil.Process, connections: int, streams: int) -> None:
    """Measure the latency of /health alone, and with open streams and connections."""
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(max_workers=1) as pool:
        print(f"/health alone: {await loop.run_in_executor(pool, latency, 400)}", flush=True)
        opened = await asyncio.gather(*[stream(number) for number in range(streams)], return_exceptions=True)
        listening = [one for one in opened if isinstance(one, asyncio.StreamWriter)]
        print(
            f"{len(listening)} streams of {streams}; memory of the service {resident_mib(process):.0f} MiB", flush=True
        )
        print(f"/health with them: {await loop.run_in_executor(pool, latency, 400)}", flush=True)
        cpu = cpu_seconds(process)
        measured = loop.run_in_executor(pool, latency, 750)
        writers: list[asyncio.StreamWriter] = []
        most, largest_mib = 0, 0.0
        while not measured.done():
            # A connection that sends nothing is closed after 10 s; another one takes its place.
            writers = [one for one in writers if not one.transport.is_closing()]
            for number in range(len(writers), min(connections, len(writers) + 200)):
                writers.append(await connection(number))
            most, largest_mib = max(most, process.num_fds()), max(largest_mib, resident_mib(process))
            await asyncio.sleep(0.01)
        print(
            f"/health with up to {most} open files (streams and connections): {await measured}; CPU of the service "
            f"{cpu_seconds(process) - cpu:.1f} s, memory up to {largest_mib:.0f} MiB",
            flush=True,
        )
        for writer in [*writers, *listening]:
            writer.transport.abort()


async def connection(number: int) -> asyncio.StreamWriter:
    """Open a connection that sends nothing."""
    address = f"127.1.{number // CONNECTIONS_OF_ADDRESS}.1"
    _, writer = await asyncio.open_connection("127.0.0.1", PORT, local_addr=(address, 0))
    return writer


async def stream(number: int) -> asyncio.StreamWriter:
    """Open an event stream and read its head."""
    address = f"127.2.{number // STREAMS_OF_ADDRESS}.1"
    reader, writer = await asyncio.open_connection("127.0.0.1", PORT, local_addr=(address, 0))
    for _ in range(20):
        writer.write(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"HTTP/1.1 200"):
            return writer
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
        await reader.readexactly(length)
        await asyncio.sleep(2)
    raise OSError(head.decode())


def latency(requests: int) -> str:
    """Return median, p99 and maximum of the latency of /health on one connection; executed in another process."""
    found = []
    request = b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with socket.create_connection(("127.0.0.1", PORT)) as client:
        for _ in range(requests):
            began = time.perf_counter()
            client.sendall(request)
            response = b""
            while not response.endswith(b"}"):
                response += client.recv(65_536)
            found.append(1000 * (time.perf_counter() - began))
            time.sleep(HEALTH_INTERVAL_SECONDS)
    found.sort()
    return f"median {found[len(found) // 2]:.1f} ms, p99 {found[int(len(found) * 0.99)]:.1f} ms, max {found[-1]:.1f} ms"


def main() -> None:
    """Measure everything and print the figures."""
    given = options(__doc__, connections=10_000, streams=1_000)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(f"load average before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
    with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as process:
        large_body(process)
        previews(process)
        asyncio.run(crowd(process, given.connections, given.streams))


if __name__ == "__main__":
    main()
