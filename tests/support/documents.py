"""Strategies for documents that are almost right: a valid one in which values, keys and types were changed."""

import copy
import json
from collections.abc import Iterator, Mapping
from typing import Any

from hypothesis import strategies as st

EDGES = st.sampled_from(
    [None, True, False, 0, 1, -1, 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**40, 0.5, -0.0, 1e308, 5e-324, "", "0", "1",
     "true", "\x00", "\x1b[31m", "\u202e", "\ud800", "a" * 5000, "9999-12-31T23:59:59-14:00",
     "0001-01-01T00:00:00+14:00", "../../etc/passwd", "=1+1", "*", [], {}, [[]], {"": None}]
).map(copy.deepcopy)  # fmt: skip
"""Values at the edges of types, which random choice rarely finds; copies, because later changes are made in place."""

VALUES = st.recursive(
    EDGES | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=8), children, max_size=3),
    max_leaves=6,
)


def _places(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value in a document."""
    found = [path] if path else []
    if isinstance(document, dict):
        found += [place for key, value in document.items() for place in _places(value, (*path, key))]
    elif isinstance(document, list):
        found += [place for index, value in enumerate(document) for place in _places(value, (*path, index))]
    return found


def with_each_integer(document: Mapping[str, Any], value: int) -> Iterator[Any]:
    """Yield, for each integer of a document, a copy with `value` in its place."""
    for path in _places(document):
        made: Any = copy.deepcopy(dict(document))
        parent = made
        for part in path[:-1]:
            parent = parent[part]
        if type(parent[path[-1]]) is int:
            parent[path[-1]] = value
            yield made


@st.composite
def changed(draw: st.DrawFn, document: Mapping[str, Any], max_changes: int = 3) -> Any:
    """Draw a copy of a document with a few changes; rarely another value altogether."""
    made: Any = copy.deepcopy(dict(document))
    for _ in range(draw(st.integers(0, max_changes))):
        places = _places(made)
        if not places:
            return draw(VALUES)
        path = draw(st.sampled_from(places))
        parent = made
        for part in path[:-1]:
            parent = parent[part]
        match draw(st.sampled_from(["replace", "replace", "remove", "add", "repeat"])):
            case "replace":
                parent[path[-1]] = draw(VALUES)
            case "remove":
                del parent[path[-1]]
            case "add" if isinstance(parent, dict):
                parent[draw(st.text(max_size=10))] = draw(VALUES)
            case _ if isinstance(parent, list):
                parent.extend([parent[path[-1]]] * draw(st.integers(1, 40)))
    return made


@st.composite
def changed_text(draw: st.DrawFn, text: str) -> str:
    """Draw a text in which a few pieces were replaced, doubled or removed."""
    for _ in range(draw(st.integers(0, 3))):
        begin = draw(st.integers(0, len(text)))
        end = draw(st.integers(begin, min(len(text), begin + 20)))
        piece = draw(
            st.sampled_from(["", text[begin:end] * 2, "\n", ": ", "- ", "&a *a", "{", "]", "!!", "\x00", "\t"])
        )
        text = text[:begin] + (piece if draw(st.booleans()) else draw(st.text(max_size=8))) + text[end:]
    return text


def as_bytes(document: Any) -> bytes:
    """Return a document as JSON, as another program could send it: lone surrogates as escapes."""
    return json.dumps(document).encode()
