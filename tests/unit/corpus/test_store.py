import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from corpus.store import ChunkStore
from orchestrator.shared.errors import ChunkDamaged, InvalidRequest
from tests.support.paths import REPOSITORY

DATA = b"En un lugar de la Mancha" * 100
SHA256 = hashlib.sha256(DATA).hexdigest()


@pytest.fixture
def store(tmp_path: Path) -> ChunkStore:
    return ChunkStore(tmp_path / "chunks")


def files_in(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


class TestPath:
    @pytest.mark.parametrize("name", ["", "../../etc/passwd", SHA256.upper(), SHA256[:-1], SHA256 + "0", SHA256 + "\n"])
    def test_other_names_than_sha256_are_rejected(self, store: ChunkStore, name: str) -> None:
        for method in (store.path, store.has, store.verify, store.open_verified, store.remove):
            with pytest.raises(InvalidRequest, match="64 lower-case"):
                method(name)


class TestPut:
    def test_file_is_readable_by_other_users(self, store: ChunkStore) -> None:
        store.put_stream([DATA])
        umask = os.umask(0)
        os.umask(umask)
        assert store.path(SHA256).stat().st_mode & 0o777 == 0o666 & ~umask

    def test_unexpected_bytes_leave_no_file(self, store: ChunkStore) -> None:
        with pytest.raises(ChunkDamaged, match=SHA256):
            store.put_stream([DATA + b"!"], expected_sha256=SHA256)
        assert files_in(store.root) == []

    def test_putting_again_repairs_a_damaged_file(self, store: ChunkStore) -> None:
        store.put_stream([DATA])
        store.path(SHA256).write_bytes(b"rotten")
        store.put_stream([DATA])
        assert store.verify(SHA256) == len(DATA)

    def test_a_file_under_its_name_is_always_whole(self, store: ChunkStore) -> None:
        # A reader opens the file repeatedly while it is written a hundred times.
        seen: list[bytes] = []
        stop = threading.Event()

        def read() -> None:
            while not stop.is_set():
                if store.has(SHA256):
                    seen.append(store.path(SHA256).read_bytes())

        reader = threading.Thread(target=read)
        reader.start()
        for _ in range(100):
            store.put_stream(DATA[start : start + 64] for start in range(0, len(DATA), 64))
        stop.set()
        reader.join()
        assert seen
        assert set(seen) == {DATA}


class TestFullDisk:
    SCRIPT = """
import errno, sys
from pathlib import Path
from corpus.store import ChunkStore
store = ChunkStore(Path(sys.argv[1]))
try:
    store.put_stream(bytes([n]) * 65536 for n in range(64))
except OSError as error:
    assert error.errno == errno.ENOSPC, error
else:
    sys.exit("4 MiB were written to a disk of 1 MiB")
assert not [path for path in store.root.rglob("*") if path.is_file()], "a half file was left"
store.put_stream([b"small"])  # The disk is as free as before.
"""

    def test_nothing_is_left_behind(self, tmp_path: Path) -> None:
        namespaces = ["unshare", "--user", "--map-root-user", "--mount"]
        try:
            allowed = subprocess.run([*namespaces, "true"], check=False).returncode == 0
        except FileNotFoundError:
            allowed = False
        if not allowed:
            pytest.skip("this machine does not permit mounting a small file system in a new namespace")
        mount = 'mount -t tmpfs -o size=1m none "$1" && exec "$2" -c "$3" "$1"'
        command = [*namespaces, "sh", "-c", mount, "sh", str(tmp_path), sys.executable, self.SCRIPT]
        outcome = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
        assert outcome.returncode == 0, outcome.stderr


class TestVerify:
    def test_damaged_chunk_is_renamed(self, store: ChunkStore) -> None:
        store.put_stream([DATA])
        damaged = bytes([DATA[0] ^ 1]) + DATA[1:]
        store.path(SHA256).write_bytes(damaged)
        with pytest.raises(ChunkDamaged, match=hashlib.sha256(damaged).hexdigest()):
            store.open_verified(SHA256)
        assert not store.has(SHA256)
        assert store.path(SHA256).with_name(f"{SHA256}.damaged").read_bytes() == damaged
        assert store.hashes() == []


class TestHashes:
    def test_only_chunks_are_listed(self, store: ChunkStore) -> None:
        assert store.hashes() == []
        stored = sorted(store.put_stream([bytes([n])]).sha256 for n in range(5))
        (store.root / "ab").mkdir(exist_ok=True)
        (store.root / "ab" / "notes.txt").write_text("not a chunk")
        assert store.hashes() == stored


class TestDiscardLeftovers:
    def test_only_old_incomplete_files_are_deleted(self, store: ChunkStore) -> None:
        store.put_stream([DATA])
        old, new = store.root / ".incoming-1-aa", store.root / ".incoming-2-bb"
        old.touch()
        new.touch()
        os.utime(old, (0, 0))
        assert store.discard_leftovers(older_than_seconds=60) == 1
        assert (old.exists(), new.exists(), store.hashes()) == (False, True, [SHA256])


def environment() -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY)}
