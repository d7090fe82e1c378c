"""Lines of a plan's text: the service's errors have the path of a field, and editors show the line."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import yaml

from orchestrator.shared.errors import InvalidRequest

MAX_SEARCHED_CHARACTERS = 200_000
"""Longer texts are not parsed a second time for the line of an error."""
_STEP = re.compile(r"\[([0-9]+)\]|([^.\[\]]+)")


@contextmanager
def with_lines(text: str | None) -> Iterator[None]:
    """Add the lines in this text to an InvalidRequest that the block raises: to its facts, and to each of its errors.

    text: None for a plan that was sent as an object.
    """
    try:
        yield
    except InvalidRequest as error:
        if text is not None and len(text) <= MAX_SEARCHED_CHARACTERS and error.field != "plan_text":
            _add_lines(error, text)
        raise


def _add_lines(error: InvalidRequest, text: str) -> None:
    root = _root(text)
    if root is None:
        return
    error.facts["line"] = _line_of(root, error.field, error.facts.get("seen"))
    fields = error.facts.get("errors")
    if isinstance(fields, list):
        error.facts["errors"] = [{**one, "line": _line_of(root, str(one["field"]))} for one in fields]


def _root(text: str) -> yaml.Node | None:
    """Return the nodes of a text that was parsed before, None where only the parser for JSON accepts it."""
    with suppress(yaml.YAMLError, RecursionError):
        found: yaml.Node | None = yaml.compose(text, Loader=yaml.CSafeLoader)
        return found
    return None


def _line_of(root: yaml.Node, path: str, seen: object = None) -> int:
    """Return the line of the deepest node on a path such as ``matrix[0].inputs.sizes[1]``, from 1.

    seen: item of the list at the path, whose line is returned if it is there.
    """
    node, line = root, root.start_mark.line
    for index, name in _STEP.findall(path):
        step = _child(node, index, name)
        if step is None:
            break
        node, line = step
    if isinstance(node, yaml.SequenceNode):
        line = next((item.start_mark.line for item in node.value if item.value == seen), line)
    return line + 1


def _child(node: yaml.Node, index: str, name: str) -> tuple[yaml.Node, int] | None:
    """Return a child and the line where it begins; that of a key's value is the line of the key."""
    if isinstance(node, yaml.SequenceNode) and index and int(index) < len(node.value):
        item = node.value[int(index)]
        return item, item.start_mark.line
    if isinstance(node, yaml.MappingNode) and name:
        for key, value in node.value:
            if key.value == name:
                return value, key.start_mark.line
    return None
