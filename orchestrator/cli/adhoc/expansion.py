"""Programs of a call: each command line with every combination of its parameters, and the commands around it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from orchestrator.cli.adhoc.command_lines import CommandLine, GivenCommand, Shell
from orchestrator.cli.adhoc.hooks import Hooks
from orchestrator.cli.adhoc.parameters import MAX_PROGRAMS, Assignment, Parameter, assignments, filled, require_use
from orchestrator.cli.adhoc.series import names_of
from orchestrator.cli.adhoc.streams import NULL, PIPE, Places
from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.values.text import counted

HOOKS = ("setup", "prepare", "conclude", "cleanup")


@dataclass(frozen=True)
class Given:
    """Options of a call that concern the programs; each sequence is empty, one for all, or one for each."""

    commands: Sequence[GivenCommand]
    """The programs, the reference first if there is one."""
    has_reference: bool = False
    parameters: Sequence[Parameter] = ()
    names: Sequence[str] = ()
    """Names of the programs in their order, without the reference; may be fewer."""
    reference_name: str | None = None
    hooks: dict[str, Sequence[str]] = field(default_factory=dict)
    """Hook → command lines."""
    outputs: Sequence[str] = ()
    input: str = NULL
    shell: Shell | None = None
    """Shell of the programs and of the hooks."""
    hook_shell: Shell | None = None
    """Shell of the hooks, if it is another."""


@dataclass(frozen=True)
class Expanded:
    """One program with the values of its parameters."""

    name: str
    line: CommandLine
    hooks: Hooks
    values: Assignment
    places: Places


@dataclass(frozen=True)
class _Of:
    """Options of one given command line."""

    command: GivenCommand
    name: str | None
    hooks: dict[str, str | None]
    output: str


def expand(given: Given) -> list[Expanded]:
    """Return the programs in the given order, the first parameter changing slowest.

    Raises InvalidRequest for numbers of options that do not fit, unused parameters and too many programs, and what
    reading a command line raises.
    """
    of_each = _of_each(given)
    found: list[tuple[_Of, Assignment]] = []
    texts: list[str] = []
    for one in of_each:
        own = [one.command.text, one.name or "", one.output, given.input, *(text or "" for text in one.hooks.values())]
        texts += own
        found += [(one, values) for values in assignments(given.parameters, own)]
    require_use(given.parameters, [*texts, *given.names])
    if len(found) > MAX_PROGRAMS:
        raise InvalidRequest(f"There are {len(found)} programs, at most {MAX_PROGRAMS} are possible.")
    names = names_of(_names(given, found))
    return [_expanded(given, one, values, name) for (one, values), name in zip(found, names, strict=True)]


def _of_each(given: Given) -> list[_Of]:
    count = len(given.commands)
    hooks = {hook: _spread(f"--{hook}", given.hooks.get(hook, ()), given) for hook in HOOKS}
    outputs = _spread("--output", given.outputs, given)
    names: list[str | None] = [*([given.reference_name] * given.has_reference)]
    if len(given.names) <= count - given.has_reference:
        names += given.names
    names += [None] * (count - len(names))
    return [
        _Of(command, names[place], {hook: hooks[hook][place] for hook in HOOKS}, outputs[place] or PIPE)
        for place, command in enumerate(given.commands)
    ]


def _spread(option: str, values: Sequence[str], given: Given) -> list[str | None]:
    """Return the value of each command line: none, the one for all, or its own."""
    count = len(given.commands)
    if len(values) <= 1:
        return [values[0] if values else None] * count
    if len(values) == count:
        return [*values]
    programs = f"{count - given.has_reference} programs{' and a reference' if given.has_reference else ''}"
    raise InvalidRequest(
        f"There are {len(values)} {option} for {programs}.",
        remedy="Give one for all, or one for each" + (", the reference's first." if given.has_reference else "."),
    )


def _names(given: Given, found: Sequence[tuple[_Of, Assignment]]) -> list[str]:
    """Return the names: given ones for each command line or for each combination, else the command lines."""
    own, skipped = len(given.names), int(given.has_reference)
    if own > len(given.commands) - skipped:
        if own != len(found) - skipped:
            raise InvalidRequest(f"There are {counted(own, 'name')} for {counted(len(found) - skipped, 'program')}.")
        return [*(_name(*one) for one in found[:skipped]), *given.names]
    return [_name(*one) for one in found]


def _name(one: _Of, values: Assignment) -> str:
    text = one.name if one.name is not None else one.command.text
    if values and filled(text, values) == text:
        return f"{text} ({', '.join(f'{name} = {value}' for name, value in values.items())})"
    return filled(text, values)


def _expanded(given: Given, one: _Of, values: Assignment, name: str) -> Expanded:
    shell = given.hook_shell or given.shell
    hooks = {
        hook: None if text is None else GivenCommand(text.strip()).line(values, shell)
        for hook, text in one.hooks.items()
    }
    if given.shell is not None and one.command.words is not None:
        raise InvalidRequest(
            "--shell executes command lines in quotes; the words after '--' are started without one.",
            remedy="Give the command line in quotes, before '--' or without it.",
        )
    places = Places(filled(given.input, values), filled(one.output, values))
    return Expanded(name, one.command.line(values, given.shell), Hooks(**hooks), values, places)
