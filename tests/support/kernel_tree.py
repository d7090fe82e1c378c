"""Kernel files of machines with sensors, built from the compact descriptions in tests/fixtures/sensors."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from orchestrator.measurement.machine.roots import Roots
from tests.support.paths import FIXTURES

DESCRIPTIONS = FIXTURES / "sensors"


def build_machine(name: str, folder: Path) -> Roots:
    """Write the files of a described machine and return their roots; only the described programs are found."""
    return build((DESCRIPTIONS / f"{name}.txt").read_text(), folder)


def build(description: str, folder: Path) -> Roots:
    """Write the files of a description, made of ``FILE = TEXT`` and ``$ vcgencmd QUESTION`` with its answer.

    Raises ValueError for any other line.
    """
    programs = folder / "bin"
    for part in ("proc", "sys", "etc", "dev", "bin"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    answer: Path | None = None
    for line in description.splitlines():
        if line.startswith("$ "):
            program, question = line[2:].split()
            answer = _program(programs / program).with_name(f"{program}.{question}")
            answer.touch()
        elif not line.strip():
            answer = None
        elif answer is not None:
            with answer.open("a") as written:
                written.write(f"{line}\n")
        elif not line.startswith("#"):
            name, separator, text = line.partition(" =")
            if not separator or not name.startswith(("proc/", "sys/", "dev/")):
                raise ValueError(f"expected 'sys/FILE = TEXT', got {line!r}")
            put(folder / name, text.strip())
    return Roots(
        proc=folder / "proc", sys=folder / "sys", etc=folder / "etc", dev=folder / "dev", search_path=str(programs)
    )


def put(path: Path, text: str) -> None:
    """Replace a file by one line, atomically, as a driver shows it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}")
    new.write_text(f"{text}\n" if text else "")
    new.replace(path)


@contextlib.contextmanager
def public_folder() -> Iterator[Path]:
    """Yield a temporary folder that every user may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextlib.contextmanager
def without_rights() -> Iterator[None]:
    """Act as an ordinary user within the block; root, who executes the tests in many places, may read everything."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def _program(path: Path) -> Path:
    """Write a program that prints the file of its argument, and rejects other arguments as vcgencmd does."""
    path.write_text('#!/bin/sh\n[ -e "$0.$1" ] || { echo "error=1 error_msg=\\"Command not registered\\""; exit 0; }\n')
    with path.open("a") as script:
        script.write('/bin/cat "$0.$1"\n')
    path.chmod(0o755)
    return path
