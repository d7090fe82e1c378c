"""Parameters of timed messages, shared by plans, jobs and runner reports."""

from typing import Annotated, Literal

from pydantic import Field

from orchestrator.units import GIB

LatencyOperation = Literal["encrypt", "decrypt", "key-setup"]

Fill = Literal["zero", "counter", "random"]
"""Contents of message and associated data: zeros; 00 01 02 …; always the same random sequence."""

KeyFill = Literal["zero", "counter"]
"""Contents of key and nonce."""

KeySetup = Literal["apart", "included"]
"""apart: a call processes the message only; included: each call sets the key first."""

TimedBytes = Annotated[int, Field(ge=0, le=GIB)]
"""Length of the message or associated data of timed calls, bytes."""
