import os
from pathlib import Path

import pytest

from orchestrator.cli.adhoc.streams import INHERIT, NULL, Places, descriptors_of, open_streams
from orchestrator.shared.errors import CiphermarkError, InvalidRequest, NotFound


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_same_file_of_two_programs_is_opened_once(tmp_path: Path) -> None:
    place = Places(NULL, str(tmp_path / "out"))
    with open_streams([place, place], shown=False) as streams:
        assert len(descriptors_of(streams)) == 1


def test_the_callers_streams_are_never_emptied() -> None:
    with open_streams([Places(NULL, INHERIT), Places(NULL, NULL)], shown=True) as streams:
        assert [one.output_file for one in streams] == [None, None]
        assert all(one.streams.stderr is not None for one in streams)
        assert os.fstat(streams[0].streams.stdout or 0) == os.fstat(1)


def test_device_is_not_read_into_memory() -> None:
    with open_streams([Places("/dev/zero", "/dev/null")], shown=False) as (one,):
        assert (one.input_file, one.output_file) == (None, None)
        one.rewind()


def test_descriptors_are_closed_afterwards(tmp_path: Path) -> None:
    before = open_descriptors()
    with open_streams([Places("/dev/zero", str(tmp_path / "out")), Places(NULL, INHERIT)], shown=True):
        assert open_descriptors() > before
    assert open_descriptors() == before


@pytest.mark.parametrize(
    ("places", "error", "message"),
    [
        (Places("missing"), NotFound, "--input"),
        (Places(NULL, "missing/out"), NotFound, "--output"),
        (Places("."), InvalidRequest, "neither a file nor a device"),
        (Places("fifo"), InvalidRequest, "neither a file nor a device"),
        (Places("file", "file"), InvalidRequest, "is the file of --input"),
    ],
)
def test_unusable_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, places: Places, error: type[CiphermarkError], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("x")
    os.mkfifo(tmp_path / "fifo")

    with pytest.raises(error, match=message), open_streams([places], shown=False):
        pass
    assert (tmp_path / "file").read_text() == "x"
