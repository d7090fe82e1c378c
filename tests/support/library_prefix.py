"""Folders with the files of an installed library, without any code."""

from pathlib import Path


def make_prefix(
    folder: Path, version: str | None = "1.0.20", *, header: str = "sodium.h", name: str = "sodium", lib: str = "lib"
) -> Path:
    """Return a prefix with a header, an object and, if a version is given, a pkg-config file."""
    (folder / "include").mkdir(parents=True)
    (folder / "include" / header).write_text("")
    (folder / lib).mkdir(parents=True)
    (folder / lib / f"lib{name}.so").write_bytes(b"")
    if version is not None:
        configurations = folder / lib / "pkgconfig"
        configurations.mkdir()
        text = f"Name: lib{name}\nDescription: a library\nVersion: {version}\n"
        (configurations / f"lib{name}.pc").write_text(text)
    return folder
