"""The join code of a device: from the environment, a prompt or standard input, never from an argument."""

import getpass
import os
import sys

from orchestrator.shared.errors import SetupError

JOIN_CODE_VARIABLE = "CIPHERMARK_JOIN_TOKEN"
_MAX_CHARACTERS = 200


def read_join_code() -> str:
    """Return the join code; a terminal prompts for it without an echo. Raises SetupError if there is none."""
    code = os.environ.get(JOIN_CODE_VARIABLE, "").strip()
    if not code:
        line = getpass.getpass("Join code: ") if sys.stdin.isatty() else sys.stdin.readline(_MAX_CHARACTERS)
        code = line.strip()
    if not code:
        raise SetupError(
            "No join code was given.",
            remedy="Type 'ciphermark agents invite' on the server, and pass the code on standard input.",
        )
    return code
