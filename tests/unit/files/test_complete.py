"""A file that several processes replace at the same time is always one of theirs."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from orchestrator.shared.files.complete import replacement


def test_writers_at_the_same_time_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "proofs.json"

    def write(letter: bytes) -> None:
        for _ in range(200):
            with replacement(path) as new:
                new.write_bytes(letter * 1000)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(write, (b"a", b"b")))
    assert set(path.read_bytes()) in ({ord("a")}, {ord("b")})
    assert list(tmp_path.iterdir()) == [path]
