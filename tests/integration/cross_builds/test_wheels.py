"""A wheel with runners: what it carries is offered, installed and used where nothing can be compiled."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import Distribution
from io import BytesIO
from pathlib import Path

import pytest

from corpus import Catalogue, ChunkEntry, chunk_store
from orchestrator.builds.wheel import repack
from orchestrator.compilation.cpu_features import device_machine
from orchestrator.compilation.runner_sources import source_sha256
from orchestrator.shared.files.identity import file_sha256
from tests.support import cross_builds
from tests.support.paths import REPOSITORY

MACHINE = device_machine() or "x86_64"
TAGS = {"x86_64": "x86_64", "aarch64": "aarch64", "armhf": "armv7l"}
PROSE = b"In the beginning. " * 500

pytestmark = pytest.mark.untraced


def staged(folder: Path, needs: str) -> Path:
    """Fill a folder with what a wheel carries: programs that need a CPU feature, and a chunk of text."""
    manifest = cross_builds.manifest(
        source_sha256=source_sha256(REPOSITORY / "runners"), machine=MACHINE, required_features=[needs]
    )
    data = cross_builds.archive()
    cross_builds.store(folder, data, cross_builds.offer(MACHINE, data, manifest))
    stored = chunk_store(folder / "corpus").put_stream([PROSE])
    entry = ChunkEntry(
        kind="text", length_bytes=stored.length_bytes, sha256=stored.sha256, origin="generated", title="A book",
        license="public domain", address=None, repeated=False, offset_bytes=0, made_at=datetime.now(UTC), note="a test",
    )  # fmt: skip
    Catalogue(folder / "corpus").change(add=[entry])
    (folder / "licenses").mkdir()
    (folder / "licenses" / "libcrypto++-dev.txt").write_text("Boost Software License")
    (folder / "machine").write_text(MACHINE)
    return folder


def built(folder: Path, carried: Path | None) -> Path:
    """Return a wheel of this checkout."""
    more = {"CIPHERMARK_WHEEL_RUNNERS": str(carried)} if carried else {}
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=REPOSITORY, env=os.environ | more, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def unpacked(wheel: Path, folder: Path) -> Path:
    """Return the folder in which the wheel is installed."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed wheel whose programs need a CPU feature that no processor has."""
    folder = tmp_path_factory.mktemp("wheel")
    return unpacked(built(folder, staged(folder / "carried", needs="telepathy")), folder / "site")


@pytest.fixture
def python(site: Path, tmp_path: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Execute Python with the installed wheel, on a machine without a compiler and other packages."""
    environment = {
        "PATH": "/nonexistent", "PYTHONPATH": str(site), "HOME": str(tmp_path), "NO_COLOR": "1", "COLUMNS": "300",
    }  # fmt: skip

    def execute(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, *arguments], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )

    return execute


def test_wheel_with_runners_is_for_one_machine_and_requires_what_its_commands_need(site: Path) -> None:
    (info,) = site.glob("*.dist-info")

    assert f"Tag: py3-none-manylinux_2_17_{TAGS[MACHINE]}\n" in (info / "WHEEL").read_text()
    requirements = [line for line in (info / "METADATA").read_text().splitlines() if line.startswith("Requires-Dist")]
    assert any(line.startswith("Requires-Dist: celery") and "extra" not in line for line in requirements)
    assert any(line.startswith("Requires-Dist: fastapi") and "extra" not in line for line in requirements)
    assert (site / "orchestrator/shipped/licenses/libcrypto++-dev.txt").is_file()


def test_wheel_without_runners_is_for_every_machine(tmp_path: Path) -> None:
    wheel = built(tmp_path, None)

    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode()
    assert not [name for name in names if "/cross-builds/" in name or "/shipped/corpus/" in name]
    assert "Requires-Dist: fastapi<0.166,>=0.121; extra == 'service'" in metadata


def test_processor_without_a_needed_instruction_is_refused_with_the_reason(
    python: Callable[..., "subprocess.CompletedProcess[str]"],
) -> None:
    done = python("-m", "orchestrator.cli.main", "runners", "build")

    assert done.returncode != 0
    assert f"runners for {MACHINE} need the CPU feature telepathy, which this CPU lacks" in done.stderr


def test_service_offers_the_carried_runners_to_devices(
    python: Callable[..., "subprocess.CompletedProcess[str]"], site: Path, tmp_path: Path
) -> None:
    text = (
        "import sys; from pathlib import Path\n"
        "from orchestrator.builds.cross_builds import find_archive\n"
        "print(find_archive(Path(sys.argv[1]), sys.argv[2], sys.argv[3])[1])"
    )
    done = python("-c", text, str(tmp_path / "empty"), MACHINE, source_sha256(REPOSITORY / "runners"))

    archive = Path(done.stdout.strip())
    assert archive.parent == site / "orchestrator/shipped/cross-builds" / MACHINE, done.stderr
    assert f"{file_sha256(archive)}.tar.gz" == archive.name


def test_input_data_is_made_of_the_carried_chunk_with_its_origin(
    python: Callable[..., "subprocess.CompletedProcess[str]"], tmp_path: Path
) -> None:
    done = python("-m", "corpus.making", str(tmp_path / "corpus"), "text", "4096", "20000")

    short, long = Catalogue(tmp_path / "corpus").entries()
    assert (done.returncode, short.title, short.license) == (0, "A book", "public domain")
    assert chunk_store(tmp_path / "corpus").path(short.sha256).read_bytes() == PROSE[:4096]
    assert (short.repeated, long.repeated) == (False, True)
    assert "carried by the wheel" in short.note


def test_agents_of_other_machines_get_a_wheel_without_the_carried_files(site: Path) -> None:
    (info,) = site.glob("*.dist-info")

    with zipfile.ZipFile(BytesIO(repack(Distribution.at(info)))) as archive:
        names = archive.namelist()
        wheel = archive.read(next(name for name in names if name.endswith("/WHEEL"))).decode()
    assert "Tag: py3-none-any\n" in wheel
    assert "orchestrator/shipped/runners/CMakeLists.txt" in names
    assert not [name for name in names if "/cross-builds/" in name or "/shipped/corpus/" in name]
