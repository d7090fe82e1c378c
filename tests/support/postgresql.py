"""A private PostgreSQL cluster for the tests that use a database, and a new database for each of them.

``CIPHERMARK_TEST_DATABASE=postgresql`` selects it (scripts/test_all.sh); without it, tests use SQLite files. The server
listens on a Unix socket in its own folder, writes without fsync, and ends with the test process.
"""

import atexit
import os
import shutil
import subprocess
import tempfile
from functools import cache
from itertools import count
from pathlib import Path

import psycopg

from orchestrator.database.migrate import bring_up_to_date

VARIABLE = "CIPHERMARK_TEST_DATABASE"
USER = "ciphermark"
TEMPLATE = "migrated"

_numbers = count(1)


def is_selected() -> bool:
    """Return whether this test run uses PostgreSQL."""
    return os.environ.get(VARIABLE, "sqlite") == "postgresql"


def new_database() -> str:
    """Create a database on the private cluster, with the schema of the migrations; return its URL."""
    cluster = _cluster()
    _migrated(cluster)
    return _create(cluster, f"test{next(_numbers)}", TEMPLATE)


def _create(folder: Path, name: str, template: str) -> str:
    with psycopg.connect(_url(folder, "postgres"), autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    return _url(folder, name)


@cache
def _migrated(folder: Path) -> None:
    bring_up_to_date(_create(folder, TEMPLATE, "template0"))


def _url(folder: Path, name: str) -> str:
    return f"postgresql://{USER}@/{name}?host={folder}"


@cache
def _cluster() -> Path:
    """Start the cluster and return the folder of its socket. PostgreSQL refuses to run as root."""
    programs = _programs()
    user = "nobody" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # Socket paths may have at most 107 characters.
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    if user is not None:
        shutil.chown(folder, user)
    data = folder / "data"
    initdb = [
        str(programs / "initdb"), "-D", str(data), "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync",
    ]  # fmt: skip
    subprocess.run(initdb, check=True, capture_output=True, user=user, cwd=folder)
    options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off -c max_connections=200"
    control = [str(programs / "pg_ctl"), "-D", str(data), "-w"]
    log = ["-l", str(folder / "log"), "-o", options]
    subprocess.run([*control, *log, "start"], check=True, stdout=subprocess.DEVNULL, user=user, cwd=folder)
    atexit.register(
        subprocess.run, [*control, "-m", "immediate", "stop"], stdout=subprocess.DEVNULL, user=user, cwd=folder
    )
    return folder


def _programs() -> Path:
    """Return the folder of the newest installed server's programs; Debian keeps them out of PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    if initdb is None:
        raise FileNotFoundError(
            "PostgreSQL is not installed; expected /usr/lib/postgresql/*/bin: apt install postgresql"
        )
    return Path(initdb).parent
