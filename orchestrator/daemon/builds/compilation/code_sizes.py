"""What each implementation takes in a program that holds it alone, as the CMake target ``footprint`` found it."""

from pathlib import Path

from pydantic import Field, TypeAdapter, ValidationError

from orchestrator.wire.base import ByteCount, Message, ProviderName, Report

CODE_SIZES_FILE = "code-sizes.json"


class CodeSize(Report):
    """One row; null with a reason where it could not be found."""

    provider: ProviderName
    algorithm: str
    variant: str
    code_bytes: ByteCount | None
    static_ram_bytes: ByteCount | None
    reason: str | None = None


class CodeSizes(Message):
    """The rows of a build, and why there are none."""

    rows: list[CodeSize]
    reason: str = Field(default="", max_length=2000)

    def of(self, provider: str, algorithm: str, variant: str) -> CodeSize:
        """Return the row of an implementation; without one, a row of nulls that says why."""
        for row in self.rows:
            if (row.provider, row.algorithm, row.variant) == (provider, algorithm, variant):
                return row
        reason = self.reason or "the build's list of code sizes lacks this implementation"
        return CodeSize(
            provider=provider, algorithm=algorithm, variant=variant, code_bytes=None, static_ram_bytes=None,
            reason=reason,
        )  # fmt: skip


_ROWS = TypeAdapter(list[CodeSize])


def read_code_sizes(path: Path) -> CodeSizes:
    """Read what the CMake target wrote; a file that is missing or damaged becomes a reason."""
    try:
        return CodeSizes(rows=_ROWS.validate_json(path.read_bytes()))
    except FileNotFoundError:
        return CodeSizes(rows=[], reason=f"the build left no {path.name}")
    except ValidationError as error:
        return CodeSizes(rows=[], reason=f"{path.name} cannot be read: {error.error_count()} of its fields are wrong")


def load_code_sizes(build_folder: Path) -> CodeSizes:
    """Return the code sizes kept beside an installed build."""
    try:
        return CodeSizes.model_validate_json((build_folder / CODE_SIZES_FILE).read_bytes())
    except (FileNotFoundError, ValidationError):
        return CodeSizes(rows=[], reason="no code sizes were kept with this build")


def keep_code_sizes(build_folder: Path, sizes: CodeSizes) -> None:
    """Keep the code sizes beside a build."""
    (build_folder / CODE_SIZES_FILE).write_text(sizes.model_dump_json(), encoding="utf-8")
