"""Source files of an implementation: what a reader must read, the shared parts of its provider included. Pure.

They are the files of the cipher and all that these refer to, except the parts that every implementation has: command
line, readings and tables of a runner.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

_Read = Mapping[str, str]
"""Texts by path, relative to the folder of all runners."""

OWN = "own"

_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True)
class _Convention:
    """Places of the ciphers in a provider, and how its files refer to each other."""

    ciphers: str
    """Folder of the ciphers."""
    suffix: str
    modes: str
    """File or folder of the modes of block ciphers."""
    references: Callable[[str, str, _Read], Iterator[str]]
    """Yields the paths that a file refers to; they may be missing."""
    one_folder_each: bool = False
    """Each cipher is a folder, as packages of Go are."""


def source_files(texts: _Read, provider: str, algorithm: str, variant: str, kind: str | None) -> list[str]:
    """Return the paths of an implementation, sorted; empty if the provider's sources are not among the texts.

    kind: that of the runner's listing; block modes include the files of the modes.
    """
    entry = (
        _native_entry(texts, algorithm, variant)
        if provider == OWN
        else _language_entry(texts, _CONVENTIONS.get(provider), algorithm, variant)
    )
    if not entry:
        return []
    convention = _CONVENTIONS[provider]
    if kind == "block-mode" and provider != OWN:
        entry = [*entry, *_below(texts, convention.modes)]
    return sorted(_closure(texts, entry, convention.references))


def _closure(texts: _Read, entry: Iterable[str], references: Callable[[str, str, _Read], Iterator[str]]) -> set[str]:
    found: set[str] = set()
    waiting = list(entry)
    while waiting:
        path = waiting.pop()
        if path in found or path not in texts:
            continue
        found.add(path)
        waiting += references(path, texts[path], texts)
    return found


def _below(texts: _Read, place: str) -> list[str]:
    return [path for path in texts if path == place or path.startswith(f"{place}/")]


def _words(text: str) -> str:
    return "".join(_WORD.findall(text.lower()))


# --- Own ciphers in C++ ---------------------------------------------------------------------------------------------

VARIANT = re.compile(r"ciphermark_variant\(\s*(\S+)(.*?)\)\s*$", re.DOTALL | re.MULTILINE)
_QUOTED_INCLUDE = re.compile(r'^\s*#include "([^"]+)"', re.MULTILINE)
_HEADER = re.compile(r"\bINCLUDE((?:\s+[\w./]+\.h)+)")
_HARNESS = ("cli/", "measure/", "provider/", "known_answers/", "digest/", "evidence/", "footprint/", "ciphermark/")


def _native_entry(texts: _Read, algorithm: str, variant: str) -> list[str]:
    """Return the source of a variant, or the headers that its declaration names and the sources of its mode."""
    family = family_of(texts, algorithm)
    if family is None:
        return []
    own = f"{family}/{variant.replace('-', '_')}.cpp"
    if own in texts:
        return [own]
    for name, options in VARIANT.findall(texts.get(f"{family}/variants.cmake", "")):
        if name == variant:
            headers = [header for group in _HEADER.findall(options) for header in group.split()]
            entry = [f"{family}/cipher.h", *(f"src/{header}" for header in headers)]
            return [*entry, "src/modes/modes.h"] if "/block/" in family else entry
    only = f"{family}/cipher.cpp"
    return [only] if only in texts else []


def family_of(paths: Iterable[str], algorithm: str) -> str | None:
    """Return the sources' folder whose name has the most parts of the algorithm's: aes_gcm for aes-128-gcm.

    Without a common part, the folder whose name the algorithm's begins with: drygascon for drygascon128k16.
    """
    folders = {path.rpartition("/")[0] for path in paths if path.startswith("src/ciphers/")}
    parts = algorithm.split("-")
    scores = {
        folder: len(names) for folder in folders if set(names := folder.rpartition("/")[2].split("_")) <= set(parts)
    }
    beginning = (folder for folder in sorted(folders) if algorithm.startswith(folder.rpartition("/")[2]))
    return max(sorted(scores), key=scores.__getitem__, default=None) or next(beginning, None)


def _included(path: str, text: str, texts: _Read) -> Iterator[str]:
    for header in _QUOTED_INCLUDE.findall(text):
        if not header.startswith(_HARNESS):
            yield f"src/{header}" if f"src/{header}" in texts else f"{path.rpartition('/')[0]}/{header}"


# --- Other languages ------------------------------------------------------------------------------------------------


def _language_entry(texts: _Read, convention: _Convention | None, algorithm: str, variant: str) -> list[str]:
    if convention is None:
        return []
    stems = {_stem(path, convention): path for path in _below(texts, convention.ciphers)}
    best = max((stem for stem in stems if _words(algorithm).startswith(_words(stem))), key=len, default=None)
    if best is None:
        return []
    if convention.one_folder_each:
        files = _below(texts, f"{convention.ciphers}/{_ALIASES.get(best, best)}")
        return files if variant == "bits" else [path for path in files if not path.endswith("/bits.go")]
    for stem, path in stems.items():
        if _words(stem) == f"{_words(best)}{variant}":
            return [path]
    return [stems[best]]


_ALIASES = {"chacha20poly1305": "chachapoly"}
"""Names of packages in Go that differ from those of their ciphers."""
_NAMES = {package: name for name, package in _ALIASES.items()}


def _stem(path: str, convention: _Convention) -> str:
    below = path.removeprefix(f"{convention.ciphers}/")
    if convention.one_folder_each:
        package = below.partition("/")[0]
        return _NAMES.get(package, package)
    return below.removesuffix(convention.suffix)


def _python(_path: str, text: str, _texts: _Read) -> Iterator[str]:
    yield from (f"python/ciphers/{name}.py" for name in re.findall(r"^from ciphers\.(\w+) import", text, re.MULTILINE))


def _javascript(path: str, text: str, _texts: _Read) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    yield from (f"{folder}/{name}" for name in re.findall(r'from "\./([\w.]+)"', text))


def _go(_path: str, text: str, texts: _Read) -> Iterator[str]:
    for package in re.findall(r'"ciphermark/runner/(internal/\w+)"', text):
        yield from (path for path in _below(texts, f"go/{package}") if not path.endswith("/bits.go"))


def _rust(path: str, text: str, texts: _Read) -> Iterator[str]:
    if path.endswith("/mod.rs"):
        return
    for name in re.findall(r"\bsuper::(\w+|\{)", text):
        one = f"rust/src/ciphers/{name}.rs"
        yield one if one in texts else "rust/src/ciphers/mod.rs"
    yield from (f"rust/src/{name}.rs" for name in re.findall(r"\bcrate::(\w+)", text))


_JAVA_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def _java(path: str, text: str, texts: _Read) -> Iterator[str]:
    text = _JAVA_COMMENT.sub("", text)
    words = set(re.findall(r"\b[A-Z]\w+", text))
    packages = ("java/src/ciphermark/ciphers", "java/src/ciphermark/modes")
    for other in (one for package in packages for one in _below(texts, package)):
        name = other.rpartition("/")[2].removesuffix(".java")
        same = other.rpartition("/")[0] == path.rpartition("/")[0]
        if other != path and name in words and (same or f".{name};" in text):
            yield other


_CONVENTIONS = {
    "own": _Convention("src/ciphers", ".cpp", "src/modes", _included),
    "python": _Convention("python/ciphers", ".py", "python/ciphers/modes.py", _python),
    "javascript": _Convention("javascript/ciphers", ".js", "javascript/ciphers/modes.js", _javascript),
    "go": _Convention("go/internal", ".go", "go/internal/modes", _go, one_folder_each=True),
    "rust": _Convention("rust/src/ciphers", ".rs", "rust/src/ciphers/modes.rs", _rust),
    "java": _Convention("java/src/ciphermark/ciphers", ".java", "java/src/ciphermark/modes", _java),
}
