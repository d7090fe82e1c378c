"""``docs/ciphers.md``: every algorithm of our own runner, out of what ``list`` says and the footprints of a build."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.cli.output import MISSING
from orchestrator.wire.builds import FootprintResult
from orchestrator.wire.runners import Implementation, ListReport

_KINDS = {"aead": "AEAD", "stream": "stream cipher", "block-mode": "block cipher in a mode"}

_HEAD = """# Ciphers

What `ciphermark-own` implements, one row for each algorithm and one for each implementation of it.
`ciphermark runners document` writes this page out of what `list` says; nobody edits it.
A test compares the tables with `list`, but for sizes and defaults, which depend on compiler and processor.
"""


@dataclass(frozen=True)
class DescribedBuild:
    """The build whose sizes a page tells."""

    listing: ListReport
    footprints: Sequence[FootprintResult]
    title: str
    """Toolchain and compiler in words."""


def cipher_page(build: DescribedBuild) -> str:
    """Return the whole page as Markdown."""
    target = build.listing.build.get("target")
    return "\n".join(
        [
            _HEAD,
            "## Algorithms\n",
            "Lengths in bytes. Known answers: the SHA-256 of `runners/vectors/<algorithm>.vec`.\n",
            *algorithm_table(build.listing.implementations),
            "\n## Implementations\n",
            f"As built for `{target}` with {build.title}. The default is that of the machine where this was written.",
            "Code is .text and .rodata of this implementation alone, static its .data and .bss, context what a key",
            "takes; key setup, encrypt and decrypt are stack, of a message of 4 KiB. All in bytes;",
            f"`{MISSING}` is unknown. `docs/measurement.md` says how they are found.\n",
            *implementation_table(build.listing.implementations, build.footprints),
            "",
        ]
    )


def algorithm_table(implementations: Iterable[Implementation]) -> list[str]:
    """Return the table of what all implementations of an algorithm have in common, a line each."""
    header = ("algorithm", "kind", "key", "nonce", "tag", "block", "specification", "known answers")
    first = {row.algorithm: row for row in reversed(_sorted(implementations))}
    rows = [
        (
            f"`{row.algorithm}`", _KINDS[row.kind or "aead"], row.key_bytes, row.nonce_bytes, row.tag_bytes,
            row.block_bytes, row.source, f"`{row.vectors_sha256}`",
        )
        for _, row in sorted(first.items(), key=lambda item: _place(item[1]))
    ]  # fmt: skip
    return _table(header, rows, numbers=range(2, 6))


def implementation_table(implementations: Iterable[Implementation], footprints: Iterable[FootprintResult]) -> list[str]:
    """Return the table of the implementations with their sizes, a line each."""
    header = (
        "algorithm", "variant", "needs", "constant time", "default", "code", "static", "context", "key setup",
        "encrypt", "decrypt",
    )  # fmt: skip
    sizes = {(one.algorithm, one.variant): one for one in footprints}
    rows = [
        (*identity(row), "yes" if row.default else "", *_sizes(sizes.get((row.algorithm, row.variant or ""))))
        for row in _sorted(implementations)
    ]
    return _table(header, rows, numbers=range(5, 11))


def identity(row: Implementation) -> tuple[str, str, str, str]:
    """Return the cells of an implementation that no compiler and no processor changes."""
    needs = " ".join(row.requires)
    return f"`{row.algorithm}`", f"`{row.variant}`", needs, "yes" if row.constant_time else "no"


def _sorted(implementations: Iterable[Implementation]) -> list[Implementation]:
    return sorted((row for row in implementations if row.variant is not None), key=_place)


def _place(row: Implementation) -> tuple[int, str, str]:
    return list(_KINDS).index(row.kind or "aead"), row.algorithm, row.variant or ""


def _sizes(found: FootprintResult | None) -> tuple[object, ...]:
    if found is None:
        return (None,) * 6
    return (
        found.code_bytes, found.static_ram_bytes, found.context_bytes, found.key_setup_stack_bytes,
        found.encrypt_stack_bytes, found.decrypt_stack_bytes,
    )  # fmt: skip


def _table(header: Sequence[str], rows: Iterable[Sequence[object]], numbers: range) -> list[str]:
    rules = ["---:" if place in numbers else "---" for place in range(len(header))]
    return [_line(header), _line(rules), *map(_line, rows)]


def _line(cells: Sequence[object]) -> str:
    shown = (MISSING if cell is None else str(cell).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(shown)} |"
