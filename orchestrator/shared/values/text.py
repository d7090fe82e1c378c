"""Texts of other programs: control characters become visible, so that nothing obeys them; documents as text."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_FREE = "\t\n"
"""Control characters that a text of several lines may contain."""
_CONTROL_PICTURES = 0x2400
"""Unicode block with a visible sign for each of the 32 ASCII control characters, in their order."""
_DELETE, _DELETE_PICTURE = 0x7F, 0x2421
_REPLACEMENT = 0xFFFD

# Marks, embeddings, overrides and isolates of writing directions (Unicode UAX #9): they change the order in which a
# reader sees the characters around them. The line and paragraph separators end a line in JavaScript and in editors.
# Characters without width make two names look alike.
_DIRECTIONS = (0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_WITHOUT_WIDTH = (0x00AD, 0x180E, *range(0x200B, 0x200E), *range(0x2060, 0x2065), 0xFEFF)
_HIDDEN = (*_DIRECTIONS, *_WITHOUT_WIDTH, 0xFFFE, 0xFFFF)
_SURROGATES = range(0xD800, 0xE000)

_SIGNS = {code: _CONTROL_PICTURES + code for code in range(32)}
_SIGNS |= dict.fromkeys((*range(0x80, 0xA0), *_HIDDEN, *_SURROGATES), _REPLACEMENT)
_SIGNS[_DELETE] = _DELETE_PICTURE
_SIGNS_OF_FREE_TEXT = {code: sign for code, sign in _SIGNS.items() if chr(code) not in _FREE}


def visible_line(text: str) -> str:
    """Return the text in one line, with a visible sign for each control character: ``␛[31m`` for a terminal's red.

    The sign of an ASCII control character is its Unicode control picture, of others U+FFFD. The length stays.
    """
    return text if text.isprintable() else text.translate(_SIGNS)


def unmistakable(text: str) -> str:
    """Return a name like ``visible_line`` in which no letter is mistaken for a Latin one: ``\\u0420i`` for Рi.

    Letters beyond ASCII are replaced by their numbers where the name contains Latin letters as well.
    """
    shown = visible_line(text)
    if shown.isascii() or not any(one.isascii() and one.isalpha() for one in shown):
        return shown
    return "".join(one if one.isascii() or not one.isalpha() else f"\\u{ord(one):04x}" for one in shown)


def visible(text: str) -> str:
    """Return the text like ``visible_line``, but with its tabs and line ends; CR LF becomes LF."""
    return text if text.isprintable() else text.replace("\r\n", "\n").translate(_SIGNS_OF_FREE_TEXT)


def finite_document(value: Any) -> Any:
    """Return a JSON value; raise ValueError for infinity and NaN in it, which JSON cannot contain."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a number of JSON; expected a finite number")
    if isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            finite_document(one)
    return value


def visible_document(value: Any) -> Any:
    """Return a JSON value with all of its texts and keys made visible."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {visible_line(key) if isinstance(key, str) else key: visible_document(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [visible_document(one) for one in value]
    return value


def flat(document: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the leaves of a JSON document by their paths: ``matrix.0.providers`` → ``own, botan``."""
    if isinstance(document, Mapping):
        for name, value in document.items():
            yield from flat(value, f"{path}.{name}" if path else str(name))
    elif isinstance(document, Sequence) and not isinstance(document, str):
        if any(isinstance(one, Mapping | list) for one in document):
            for place, value in enumerate(document):
                yield from flat(value, f"{path}.{place}")
        else:
            yield path, ", ".join(map(str, document))
    else:
        yield path, str(document)


def some(names: Sequence[str], most: int, between: str = ", ") -> str:
    """Return the first names and the number of the others: ``a, b and 3 more``, or ``a; b; and 3 more``."""
    more, last = len(names) - most, " and" if between == ", " else f"{between}and"
    return between.join(names[:most]) + (f"{last} {more} more" if more > 0 else "")


def counted(count: int, noun: str) -> str:
    """Return ``1 case`` or ``2 cases``."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def enumerated(names: Sequence[str]) -> str:
    """Return ``a``, ``a and b``, or ``a, b and c``."""
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


_WORDS: dict[str, str] = {}
"""Words for regular expressions, which errors have in their place."""


def worded(pattern: str, words: str) -> str:
    """Return a pattern after its words are registered, which complete "expected": ``1 to 40 digits``."""
    _WORDS[pattern] = words
    return pattern


def words_of(pattern: str) -> str:
    """Return the words of a pattern; the pattern itself for one without words."""
    return _WORDS.get(pattern, f"a text that matches {pattern}")


SLUG_PATTERN = worded(
    r"^[a-z0-9]+(-[a-z0-9]+)*$", "lower-case letters and digits, with single hyphens between them, such as aes-128"
)
LABEL_PATTERN = worded(
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$",
    "1 to 32 letters, digits, dots, underscores and hyphens, the first one a letter or digit",
)
