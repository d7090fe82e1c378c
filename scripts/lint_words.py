"""Find words that the project does not write, in docstrings, comments, messages, templates and documentation.

Usage: .venv/bin/python scripts/lint_words.py [--count] [FILE…]

--count prints the number of findings per folder. The exit code is 1 if there are findings.
"""

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

# Published data, generated lists, and history: not written by us, or not to be rewritten.
EXCLUDED = (
    "LICENSE",
    "requirements/*",
    "runners/vectors/*",
    "tests/fixtures/*",
    "*.png",
    "*.svg",
    "*.json",
)


@dataclass(frozen=True)
class Word:
    """A word or phrase to replace: a regular expression without groups, and what to write instead."""

    pattern: str
    instead: str


@dataclass(frozen=True)
class Allowed:
    """A use that is right as it is: the phrase that contains the word, the files, and the reason."""

    phrase: str
    where: str
    reason: str


@dataclass(frozen=True)
class Piece:
    """A text in a file: its first line, and whether it is a docstring."""

    line: int
    text: str
    docstring: bool = False


@dataclass(frozen=True, order=True)
class Finding:
    """A word in a line of a file."""

    path: str
    line: int
    word: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: '{self.word}' → {self.instead}"


def _word(pattern: str, instead: str) -> Word:
    # A space in a pattern also matches a line break and the indentation after it.
    return Word(pattern.replace(" ", r"\s+"), instead)


WORDS = (
    _word("tell|tells|told|telling", "report, return, log, notify, distinguish"),
    _word("say|says|said|saying", "report, state, contain, specify"),
    _word("hear|hears|heard|hearing", "receive, notify"),
    _word("ask|asks|asked|asking", "request, require"),
    _word("want|wants|wanted|wanting", "request, require, expected"),
    _word("stand|stands|stood|standing", "is, represents, is next to"),
    _word("lie|lies|lain|lying", "is, is located"),
    _word("bear|bears|bearing|bore|borne", "tolerate, be unaffected by, have"),
    _word(r"(?:hold|holds|held|holding) [^.;:]{1,60}? against", "compare X with Y, verify"),
    _word("whoever|somebody|nobody|anybody|someone|anyone", "name the actor: the user, the client, another process"),
    _word("anew", "again"),
    _word("beside", "next to"),
    _word("likewise", "also"),
    _word("meanwhile", "while, during this time"),
    _word("lately", "recently"),
    _word("at once", "immediately, in one call, at the same time"),
    _word("twin|twins", "control, copy, counterpart"),
    _word("workshop|workshops", "builder"),
    _word("hygiene", "preflight"),
    _word("steadied", "winsorized"),
    _word("(?:put|puts|putting) back", "requeue, restore"),
    _word("(?:let|lets|letting) (?:it |them |this |that )?go", "acknowledge, release"),
    _word("(?:set|sets|setting) aside", "dead-letter, exclude"),
    _word("off the core", "descheduled"),
    # American spelling.
    _word(
        "(?:de|re|un|pre|over)?"
        "(?:author|canonical|categor|character|custom|equal|final|general|initial|local|maxim|memor|minim|normal|optim"
        "|organ|parametr|penal|prior|priorit|quant|random|recogn|sanit|serial|special|stabil|standard|summar|symbol"
        "|synchron|token|util|vector|visual|winsor)"
        "is(?:e|ed|er|ers|es|ing|able|ation|ations)",
        "-ize, -ization",
    ),
    _word(r"(?:un)?colour\w*", "color"),
    _word(r"behaviour\w*", "behavior"),
    _word(r"neighbour\w*", "neighbor"),
    _word(r"favour\w*", "favor"),
    _word("licence|licences", "license"),
    _word("enrol|enrols|enrolment|enrolments", "enroll, enrollment"),
    _word("analyse|analysed|analysing", "analyze"),
    _word("centre|centres|centred", "center"),
    _word("grey", "gray"),
)

# A docstring begins with an imperative verb or, for a module or class, with a noun.
OPENERS = {
    "ask": "Request",
    "give": "Return, Yield",
    "hear": "Receive, Stream",
    "how": "a noun: 'Format of', 'Number of'",
    "say": "Return, Report",
    "tell": "Return whether, Report",
    "what": "a noun: 'Schema', 'State', 'Summary'",
    "whether": "Return whether, or a noun",
    "who": "a noun",
}

# Parts of names that are defined in Python: functions, classes, parameters and variables.
NAME_PARTS = {
    "anew": "again",
    "asked": "requested",
    "heard": "received",
    "hygiene": "preflight",
    "steadied": "winsorized",
    "tell": "report",
    "tells": "reports",
    "told": "its noun",
    "twin": "control, counterpart",
    "wanted": "requested, expected",
    "whoever": "its noun",
    "workshop": "builder",
}

ALLOWED: tuple[Allowed, ...] = (
    Allowed("Circuit Optimisation Problems", "runners/src/ciphers/block/present/rounds.h", "the title of a paper"),
    Allowed("*", "scripts/lint_words.py", "the list of the words"),
    Allowed("*", "CHANGELOG.md", "the former names of keys and columns"),
    Allowed("tell", "orchestrator/shared/exporters/arrow.py", "a method of Python's files"),
)

_ANY_WORD = re.compile("|".join(rf"\b({word.pattern})\b" for word in WORDS), re.IGNORECASE)
_CODE = re.compile(r"(`+)[^`\s]+\1|https?://\S+")
_COMMENT_OR_STRING = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)""",
    re.DOTALL,
)
_HASH_COMMENT = re.compile(r"""(?P<string>"(?:\\.|[^"\\])*"|'[^'\n]*')|(?P<comment>(?<![\w$&{\\])\#[^\n]*)""")
_TEMPLATE_CODE = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<script.*?</script>|<style.*?</style>|<[^>]*>", re.DOTALL)
_TEMPLATE_TEXT = re.compile(
    r"""\{\#.*?\#\}|(?:title|placeholder|aria-label|alt|content)="[^"]*"|'[^'\n]* [^'\n]*'""", re.DOTALL
)
_YAML_KEY = re.compile(r"^(\s*(?:- )?)[\w.-]+(?=:)", re.MULTILINE)


def _blank(text: str) -> str:
    """Return spaces in place of the text, with its line breaks."""
    return re.sub(r"[^\n]", " ", text)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def python_pieces(source: str, *, strings: bool = True) -> Iterator[Piece]:
    """Yield the comments, docstrings and, with `strings`, all other string literals with a space in a Python file."""
    yield from _python_comments(source)
    tree = ast.parse(source)
    docstrings = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                docstrings.add(id(first.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and (" " in node.value):
            if id(node) in docstrings or strings:
                yield Piece(node.lineno, node.value, docstring=id(node) in docstrings)
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield Piece(node.lineno, node.name.replace("_", " "))


def _python_comments(source: str) -> Iterator[Piece]:
    """Yield the comments; those on consecutive lines are one piece."""
    first, lines = 0, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if lines and token.start[0] == first + len(lines):
                lines.append(token.string.lstrip("#"))
                continue
            if lines:
                yield Piece(first, "\n".join(lines))
            first, lines = token.start[0], [token.string.lstrip("#")]
    if lines:
        yield Piece(first, "\n".join(lines))


def python_names(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and name of everything that a Python file defines, without tests, whose names are prose."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not node.name.startswith("test_"):
                yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def comment_pieces(pattern: re.Pattern[str]) -> Callable[[str], Iterator[Piece]]:
    """Return a reader for languages with this pattern of comments and string literals."""

    def pieces(source: str) -> Iterator[Piece]:
        found = list(pattern.finditer(source))
        comments = _blank(source)
        for match in found:
            if match["comment"]:
                text = re.sub(r"^([^\n\w]*)", lambda mark: _blank(mark[0]), match[0])
                comments = comments[: match.start()] + text + comments[match.end() :]
            elif " " in match[0]:
                yield Piece(_line(source, match.start()), match[0])
        yield Piece(1, comments)

    return pieces


def template_pieces(source: str) -> Iterator[Piece]:
    """Yield the text of a template, and the texts within its tags and expressions."""
    for match in _TEMPLATE_CODE.finditer(source):
        for text in _TEMPLATE_TEXT.finditer(match[0]):
            yield Piece(_line(source, match.start() + text.start()), text[0])
    yield Piece(1, _TEMPLATE_CODE.sub(lambda match: _blank(match[0]), source))


def whole_text(source: str) -> Iterator[Piece]:
    """Yield all text, without the keys of YAML."""
    yield Piece(1, _YAML_KEY.sub(lambda match: _blank(match[0]), source))


def markdown_text(source: str) -> Iterator[Piece]:
    """Yield all text of a Markdown file."""
    yield Piece(1, source)


READERS: dict[str, Callable[[str], Iterator[Piece]]] = {
    ".py": python_pieces,
    ".html": template_pieces,
    ".md": markdown_text,
    ".yaml": whole_text,
    ".yml": whole_text,
    ".toml": comment_pieces(_HASH_COMMENT),
    ".mako": markdown_text,
    **dict.fromkeys((".c", ".h", ".cpp", ".in", ".js", ".css"), comment_pieces(_COMMENT_OR_STRING)),
}


def reader(path: str) -> Callable[[str], Iterator[Piece]]:
    """Return the function that yields the pieces of text of a file."""
    if path.startswith("migrations/") and path.endswith(".py"):
        return lambda source: python_pieces(source, strings=False)  # SQL with the names that columns had then
    return READERS.get(Path(path).suffix, comment_pieces(_HASH_COMMENT))


def findings_in_text(path: str, piece: Piece) -> Iterator[tuple[Finding, tuple[str, str]]]:
    """Yield each finding in a piece of text, with the text before and after it."""
    text = _CODE.sub(lambda match: _blank(match[0]), piece.text)
    for match in _ANY_WORD.finditer(text):
        line = piece.line + text.count("\n", 0, match.start())
        instead = WORDS[(match.lastindex or 1) - 1].instead
        word, before, after = match[0], text[max(0, match.start() - 60) : match.start()], text[match.end() :][:60]
        yield Finding(path, line, _one_line(word), instead), (_one_line(before), _one_line(after))
    first = re.match(r"\w+", text)
    if piece.docstring and first and first[0].lower() in OPENERS:
        yield Finding(path, piece.line, f"{first[0]} … as an opener", OPENERS[first[0].lower()]), ("", "")


def findings(path: str, source: str) -> Iterator[tuple[Finding, tuple[str, str]]]:
    """Yield each finding in a file, with the text before and after it."""
    for piece in reader(path)(source):
        yield from findings_in_text(path, piece)
    parts = [(1, part) for part in Path(path).with_suffix("").parts]
    names = [*parts, *(python_names(source) if path.endswith(".py") else ())]
    for line, name in names:
        for part in re.findall(r"[A-Z]?[a-z]+", name):
            if part.lower() in NAME_PARTS:
                yield Finding(path, line, f"{part.lower()} in {name}", NAME_PARTS[part.lower()]), ("", "")


def is_allowed(allowed: Allowed, finding: Finding, around: tuple[str, str]) -> bool:
    """Return whether an entry of ALLOWED covers a finding: its phrase has the word where the text has it."""
    if not fnmatch(finding.path, allowed.where):
        return False
    near = len(allowed.phrase)
    text = f"{around[0][-near:]}{finding.word}{around[1][:near]}"
    return allowed.phrase == "*" or allowed.phrase.lower() in text.lower()


def check(files: dict[str, str], allowed: tuple[Allowed, ...] = ALLOWED) -> tuple[list[Finding], list[Allowed]]:
    """Return the findings in files (path → text) that are not allowed, and the entries that allow nothing."""
    found, used = set[Finding](), set[Allowed]()
    for path, source in files.items():
        for finding, around in findings(path, source):
            covering = [entry for entry in allowed if is_allowed(entry, finding, around)]
            used.update(covering)
            if not covering:
                found.add(finding)
    return sorted(found), [entry for entry in allowed if entry not in used]


def tracked_files(names: list[str]) -> dict[str, str]:
    """Return the text of the files that git tracks, without EXCLUDED: all, or those below the given names."""
    listing = subprocess.run(["git", "ls-files", "-z", "--", *names], capture_output=True, text=True, check=True)
    paths = [path for path in listing.stdout.split("\0") if path and Path(path).is_file()]
    kept = [path for path in paths if not any(fnmatch(path, pattern) for pattern in EXCLUDED)]
    return {path: Path(path).read_text(encoding="utf-8") for path in kept}


def folder(path: str) -> str:
    """Return the first two folders of a path."""
    return "/".join(Path(path).parts[:-1][:2]) or "."


def main() -> int:
    """Print the findings, or their number per folder; 1 when there are any."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--count", action="store_true", help="print the number of findings per folder")
    parser.add_argument("files", nargs="*", help="files or folders; default: all that git tracks")
    options = parser.parse_args()

    found, unused = check(tracked_files(options.files))
    if options.count:
        for name, number in sorted(Counter(folder(finding.path) for finding in found).items()):
            print(f"{number:6} {name}")
        print(f"{len(found):6} in all")
        return 1 if found else 0
    lines = [str(finding) for finding in found]
    if not options.files:
        lines += [f"ALLOWED: '{entry.phrase}' in {entry.where} matches nothing: remove it" for entry in unused]
    print("\n".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
