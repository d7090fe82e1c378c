"""Parameters of a scan: ``{name}`` in a command line is replaced by each of its values, in every combination."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product

from orchestrator.shared.errors import InvalidRequest

MAX_PROGRAMS = 1000
"""Limit of the programs of one call, which a mistyped step reaches first."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{1,15})?([eE][+-]?\d)?", re.ASCII)
_UNESCAPED_COMMA = re.compile(r"(?<!\\),")

Assignment = Mapping[str, str]
"""Parameter → value."""


@dataclass(frozen=True)
class Parameter:
    """Parameter with its values as text, in the order of the scan."""

    name: str
    values: tuple[str, ...]

    @property
    def placeholder(self) -> str:
        """Text that is replaced."""
        return f"{{{self.name}}}"


def parameter_list(name: str, values: str) -> Parameter:
    r"""Return a parameter of ``-L``; values are separated by commas, ``\,`` is a comma.

    Raises InvalidRequest for an invalid name, an empty list and a repeated value.
    """
    parts = tuple(value.replace("\\,", ",") for value in _UNESCAPED_COMMA.split(values))
    if not values:
        raise InvalidRequest(
            f"The parameter {name!r} has no values.", remedy=f"Separate them by commas: -L {name} 1,2,4."
        )
    repeated = next((value for value in parts if parts.count(value) > 1), None)
    if repeated is not None:
        raise InvalidRequest(f"The parameter {name!r} has the value {repeated!r} twice.", remedy="Remove one of them.")
    return Parameter(_checked_name(name), parts)


def parameter_scan(name: str, lowest: str, highest: str, step: str | None = None) -> Parameter:
    """Return a parameter of ``-P``: from the lowest to the highest number in steps, both included.

    step: 1 if None. All are decimal numbers; values have the digits of the number with most of them.
    Raises InvalidRequest for an invalid name or number, an empty range, and too many values.
    """
    first, last = _number(name, lowest), _number(name, highest)
    if step is None and (first != int(first) or last != int(last)):
        raise InvalidRequest(
            f"The parameter {name!r} goes from {lowest} to {highest} without a step.",
            remedy="Give it with -D, for example -D 0.1.",
        )
    by = _number(name, step or "1")
    if by <= 0:
        raise InvalidRequest(f"The step of {name!r} must be above 0, seen {step}.", remedy="-D 0.5, for example.")
    if first > last:
        raise InvalidRequest(
            f"The parameter {name!r} goes from {lowest} to {highest}, which is less.",
            remedy=f"Exchange them: -P {name} {highest} {lowest}.",
        )
    count = int((last - first) / by) + 1
    if count > MAX_PROGRAMS:
        raise InvalidRequest(
            f"The parameter {name!r} has {count} values, at most {MAX_PROGRAMS} are possible.",
            remedy="Give a larger step with -D.",
        )
    return Parameter(_checked_name(name), tuple(f"{first + by * number:f}" for number in range(count)))


def parameters_of(
    lists: Sequence[tuple[str, str]], scans: Sequence[tuple[str, str, str]], steps: Sequence[str]
) -> list[Parameter]:
    """Return the parameters of ``-L`` and ``-P``; steps: of ``-D``, none, one for all scans, or one for each.

    Raises InvalidRequest as the functions above, and for a name that is used twice.
    """
    if (len(steps) > 1 and len(steps) != len(scans)) or (steps and not scans):
        raise InvalidRequest(
            f"There are {len(steps)} steps (-D) for {len(scans)} scans (-P).", remedy="One for all, or one for each."
        )
    by: Sequence[str | None] = steps if len(steps) > 1 else [*steps, None][:1] * len(scans)
    found = [parameter_list(*one) for one in lists]
    found += [parameter_scan(*scan, step) for scan, step in zip(scans, by, strict=True)]
    names = [parameter.name for parameter in found]
    repeated = next((name for name in names if names.count(name) > 1), None)
    if repeated is not None:
        raise InvalidRequest(f"The parameter {repeated!r} is given twice.", remedy="Use two names.")
    return found


def assignments(parameters: Sequence[Parameter], texts: Iterable[str]) -> list[Assignment]:
    """Return every combination of the parameters that the texts contain; one empty combination if there are none.

    The first parameter changes slowest. Raises InvalidRequest for more than a thousand.
    """
    together = "\0".join(texts)
    used = [parameter for parameter in parameters if parameter.placeholder in together]
    count = 1
    for parameter in used:
        count *= len(parameter.values)
    if count > MAX_PROGRAMS:
        raise InvalidRequest(
            f"The parameters have {count} combinations, at most {MAX_PROGRAMS} are possible.",
            remedy="Scan fewer values, or one parameter at a time.",
        )
    names = [parameter.name for parameter in used]
    return [dict(zip(names, values, strict=True)) for values in product(*(parameter.values for parameter in used))]


def require_use(parameters: Iterable[Parameter], texts: Iterable[str]) -> None:
    """Raise InvalidRequest if no text contains a parameter's placeholder."""
    together = "\0".join(texts)
    for parameter in parameters:
        if parameter.placeholder not in together:
            raise InvalidRequest(
                f"The parameter {parameter.name!r} is in no program and no command around it.",
                remedy=f"Write {parameter.placeholder} where its values belong.",
            )


def filled(text: str, values: Assignment) -> str:
    """Return the text with every placeholder replaced; other braces stay. Values are not searched again."""
    if not values:
        return text
    pattern = "|".join(re.escape(f"{{{name}}}") for name in values)
    return re.sub(pattern, lambda found: values[found[0][1:-1]], text)


def _checked_name(name: str) -> str:
    if _NAME.fullmatch(name) is None:
        raise InvalidRequest(
            f"{name!r} cannot be the name of a parameter.",
            remedy="Use letters, digits, _ and -, beginning with a letter.",
        )
    return name


def _number(name: str, text: str) -> Decimal:
    if _NUMBER.fullmatch(text) is None:
        raise InvalidRequest(
            f"The parameter {name!r} needs a decimal number, seen {text!r}.", remedy="For example 0.5."
        )
    return Decimal(text)
