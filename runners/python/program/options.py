"""Command-line options, without argparse: its import takes a quarter of the start of this program."""

from __future__ import annotations

from dataclasses import dataclass

from program.errors import RunnerError

HELP = """Executes the implementations of this provider.

list
crypt   --algorithm A [--variant V] --operation encrypt|decrypt --key HEX [--nonce HEX] [--ad HEX] --in FILE --out FILE
kat     --algorithm A [--variant V]
process --algorithm A [--variant V] --in FILE [--key HEX] [--nonce HEX]
noop    --in FILE
latency --algorithm A [--variant V] --operation encrypt|decrypt|key-setup [--length N] [--ad-length N] [--key HEX]
        [--nonce HEX] [--key-fill zero|counter] [--fill zero|counter|random] [--key-setup apart|included]
        [--min-time-ms T] [--timings K]"""

_REQUIRED = {
    "list": (),
    "crypt": ("--algorithm", "--operation", "--key", "--in", "--out"),
    "kat": ("--algorithm",),
    "process": ("--algorithm", "--in"),
    "noop": ("--in",),
    "latency": ("--algorithm", "--operation"),
}
_OPTIONAL = {
    "crypt": ("--variant", "--nonce", "--ad"),
    "kat": ("--variant",),
    "process": ("--variant", "--key", "--nonce"),
    "latency": (
        "--variant",
        "--length",
        "--ad-length",
        "--key",
        "--nonce",
        "--fill",
        "--key-fill",
        "--key-setup",
        "--min-time-ms",
        "--timings",
    ),
}
_CHOICES = {
    "--fill": ("zero", "counter", "random"),
    "--key-fill": ("zero", "counter"),
    "--key-setup": ("apart", "included"),
}
_OPERATIONS = {"crypt": ("encrypt", "decrypt"), "latency": ("encrypt", "decrypt", "key-setup")}
_MAX_DIGITS = 18
_MIN_MS, _MAX_MS = 0.1, 10_000.0
_MAX_TIMINGS = 10_000


@dataclass(frozen=True)
class Options:
    """A command with the text of its options."""

    command: str
    values: dict[str, str]

    @property
    def algorithm(self) -> str:
        """Id of the algorithm."""
        return self.values["--algorithm"]

    @property
    def variant(self) -> str | None:
        """Name of the variant; None: the default one."""
        return self.values.get("--variant")

    @property
    def operation(self) -> str:
        """Operation of crypt or latency."""
        return self.values["--operation"]

    def get(self, option: str) -> str | None:
        """Return the text of an option, or None."""
        return self.values.get(option)

    def chosen(self, option: str) -> str | None:
        """Return one of the option's words, or None."""
        return self.values.get(option)

    def number(self, option: str, default: int) -> int:
        """Return a number of bytes or timings."""
        text = self.values.get(option)
        return default if text is None else int(text)

    def milliseconds(self) -> float:
        """Return the duration of --min-time-ms."""
        return float(self.values.get("--min-time-ms", "10"))


def parse(arguments: list[str]) -> Options:
    """Return the command of a command line; raises RunnerError (usage)."""
    if not arguments:
        raise _usage("A subcommand is required")
    command, *words = arguments
    if command not in _REQUIRED:
        raise _usage(f"{command} is no subcommand")
    known = (*_REQUIRED[command], *_OPTIONAL.get(command, ()))
    values: dict[str, str] = {}
    while words:
        option, *words = words
        if option not in known:
            raise _usage(f"{command} does not have the option {option}")
        if not words:
            raise _usage(f"{option} requires a value")
        if option in values:
            raise _usage(f"{option} is given twice")
        values[option], *words = words
        _check(command, option, values[option])
    for option in _REQUIRED[command]:
        if option not in values:
            raise _usage(f"{option} is required")
    return Options(command, values)


def _usage(what: str) -> RunnerError:
    return RunnerError("usage", f"{what}; --help lists the options")


def _check(command: str, option: str, text: str) -> None:
    choices = _OPERATIONS[command] if option == "--operation" else _CHOICES.get(option)
    if choices is not None and text not in choices:
        raise _usage(f"{option} is {text!r}, expected {', '.join(choices)}")
    if option in ("--length", "--ad-length") and not (_is_number(text) and len(text) <= _MAX_DIGITS):
        raise _usage(f"'{text}' is not a number of bytes: expected at most {_MAX_DIGITS} digits")
    if option == "--timings" and not (_is_number(text) and 1 <= int(text) <= _MAX_TIMINGS):
        raise _usage(f"--timings is '{text}', expected 1 to {_MAX_TIMINGS}")
    if option == "--min-time-ms" and not _MIN_MS <= _float(text) <= _MAX_MS:
        raise _usage(f"'{text}' is not a number of milliseconds from 0.1 to 10000")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return -1.0
