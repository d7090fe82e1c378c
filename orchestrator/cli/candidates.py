"""Options of commands that select candidates of a run."""

from typing import Annotated

import typer

from orchestrator.shared.errors import InvalidRequest
from orchestrator.shared.units import parse_size_bytes

AlgorithmOption = Annotated[
    list[str] | None, typer.Option(help="Only candidates of this algorithm: aes-128-gcm. Repeatable.")
]
AEADOption = Annotated[bool, typer.Option("--aead", help="Only AEADs.")]
ConstantTimeOption = Annotated[
    bool, typer.Option("--constant-time", help="Only code that claims constant time, if no check refutes it.")
]
MaxCodeOption = Annotated[str | None, typer.Option(help="Code size at most: '8 KiB'.")]
RowsOption = Annotated[int, typer.Option(min=1, max=500, help="Maximum rows per agent.")]


def size_bytes(text: str | None, option: str) -> int | None:
    """Return the bytes of an option such as ``8 KiB``; raises InvalidRequest."""
    try:
        return None if text is None else parse_size_bytes(text)
    except ValueError as error:
        raise InvalidRequest(f"{error}.", field=option) from None
