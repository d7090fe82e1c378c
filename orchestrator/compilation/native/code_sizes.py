"""Code size of each implementation, measured by the CMake target ``footprint`` in a program of its own."""

from pathlib import Path

from pydantic import Field, TypeAdapter, ValidationError

from orchestrator.shared.files.stored import StoredDocument
from orchestrator.wire.base import ByteCount, Message, ProviderName, Report

CODE_SIZES_FILE = "code-sizes.json"


class CodeSize(Report):
    """Sizes of one implementation; None with a reason if they are unknown."""

    provider: ProviderName
    algorithm: str
    variant: str
    code_bytes: ByteCount | None
    static_ram_bytes: ByteCount | None
    constant_bytes: ByteCount | None = None
    """Of `code_bytes`, those of constants."""
    context_bytes: ByteCount | None = None
    symbol: str = ""
    """With which it was linked alone."""
    reason: str | None = None


class CodeSizes(Message):
    """Code sizes of a build, or the reason why there are none."""

    rows: list[CodeSize]
    reason: str = Field(default="", max_length=2000)

    def of(self, provider: str, algorithm: str, variant: str) -> CodeSize:
        """Return the row of an implementation; if there is none, a row without sizes and with the reason."""
        for row in self.rows:
            if (row.provider, row.algorithm, row.variant) == (provider, algorithm, variant):
                return row
        reason = self.reason or "the build's list of code sizes lacks this implementation"
        return CodeSize(
            provider=provider, algorithm=algorithm, variant=variant, code_bytes=None, static_ram_bytes=None,
            reason=reason,
        )  # fmt: skip


_ROWS = TypeAdapter(list[CodeSize])
_STORED = StoredDocument[CodeSizes](CodeSizes)


def read_code_sizes(path: Path) -> CodeSizes:
    """Read the file of the CMake target; if it is missing or damaged, return the reason."""
    try:
        return CodeSizes(rows=_ROWS.validate_json(path.read_bytes()))
    except FileNotFoundError:
        return CodeSizes(rows=[], reason=f"the build wrote no {path.name}")
    except ValidationError as error:
        return CodeSizes(rows=[], reason=f"{path.name} is invalid: {error.error_count()} wrong fields")


def load_code_sizes(build_folder: Path) -> CodeSizes | None:
    """Return the code sizes of an installed build; None if they were not measured yet, or are damaged."""
    return _STORED.read(build_folder / CODE_SIZES_FILE)


def store_code_sizes(build_folder: Path, sizes: CodeSizes) -> None:
    """Store the code sizes in the folder of a build."""
    _STORED.write(build_folder / CODE_SIZES_FILE, sizes)
