"""Parameters of cases that plans, jobs and runner reports share: of timed messages and of masked variants."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from orchestrator.shared.units import GIB

LatencyOperation = Literal["encrypt", "decrypt", "key-setup"]

Fill = Literal["zero", "counter", "random"]
"""Contents of message and associated data: zeros; 00 01 02 …; always the same random sequence."""

KeyFill = Literal["zero", "counter"]
"""Contents of key and nonce."""

KeySetup = Literal["apart", "included"]
"""apart: a call processes the message only; included: each call sets the key first."""

TimedBytes = Annotated[int, Field(ge=0, le=GIB)]
"""Length of the message or associated data of timed calls, bytes."""

MIN_SHARES, MAX_SHARES = 2, 6
Shares = Annotated[int, Field(ge=MIN_SHARES, le=MAX_SHARES)]
Degree = Literal["full", "init-final", "init"]
"""full: the whole cipher is masked; init-final: initialization and finalization, which use the key; init:
initialization only."""
GeneratorName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=16)]
MAX_GENERATORS = 16
"""Generators that one runner may list."""
