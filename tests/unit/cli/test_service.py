"""Limits of the service's process."""

import subprocess
import sys

# Eight threads allocate at the same time: by default glibc makes an arena for each of them.
ALLOCATE = """
import ctypes, tempfile, threading
from orchestrator.cli.processes import lean, service
if {limited}:
    lean.return_memory_to_the_system(service.ARENAS)
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
barrier = threading.Barrier(8)
def allocate():
    barrier.wait()
    kept = [libc.malloc(1000) for _ in range(2000)]
    barrier.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
[one.start() for one in threads]
[one.join() for one in threads]
libc.fdopen.restype = ctypes.c_void_p
libc.malloc_info.argtypes = libc.fclose.argtypes = None
with tempfile.TemporaryFile() as file:
    stream = ctypes.c_void_p(libc.fdopen(file.fileno(), b"w"))
    libc.malloc_info(0, stream)
    libc.fflush(stream)
    file.seek(0)
    print(file.read().count(b"<heap nr="))
"""


def arenas(limited: bool) -> int:
    program = ALLOCATE.format(limited=limited)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)
    return int(done.stdout)


def test_threads_of_the_service_share_two_arenas() -> None:
    # 40 threads with an arena each kept what large answers had left in them.
    assert arenas(limited=True) <= 2
    assert arenas(limited=False) > 2


NOT_IN_THE_SERVICE = (
    "rich", "pygments", "typer", "alembic", "mako", "scipy", "redis", "celery", "kombu", "psutil",
    "vl_convert",
)  # fmt: skip
CHART = {"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": {"x": {"field": "a", "type": "quantitative"}}}


def test_process_of_the_service_has_no_package_that_it_does_not_need() -> None:
    """They took 30 MiB of its memory, and the engine of charts 137 MiB more."""
    script = (
        "import sys\n"
        "from orchestrator.cli.processes import lean, service\n"
        "def program():\n"
        "    import uvicorn, orchestrator.app, orchestrator.cli.supervisor.announcement\n"
        "    from orchestrator.web import vega\n"
        f"    assert vega.picture({CHART!r}).startswith(b'<svg')\n"
        f"    print([m for m in {NOT_IN_THE_SERVICE!r} if sys.modules.get(m) is not None])\n"
        "lean.run(program, arenas=service.ARENAS)"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
