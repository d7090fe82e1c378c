"""What the latency protocol times: the values that plans, jobs and reports share."""

from typing import Annotated, Literal

from pydantic import Field

from orchestrator.units import GIB

LatencyOperation = Literal["encrypt", "decrypt", "key-setup"]

Fill = Literal["zero", "counter", "random"]
"""What message and associated data are made of: zeros; 00 01 02 …; always the same random sequence."""

KeyFill = Literal["zero", "counter"]
"""What key and nonce are made of."""

KeySetup = Literal["apart", "included"]
"""Whether a call is the message alone, or sets the key first each time."""

TimedBytes = Annotated[int, Field(ge=0, le=GIB)]
"""Length of a message or of associated data that calls are timed with."""
