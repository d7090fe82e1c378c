"""The Python provider: serves the requests of its driver (runners/README.md, "Protocol of a language")."""

import io
import sys

from program.requests import Requests
from program.serving import serve

sys.exit(serve(Requests(io.FileIO(0)), io.FileIO(1, "w")))
