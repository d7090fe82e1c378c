"""Paths of the repository that tests read from."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
FIXTURES = REPOSITORY / "tests" / "fixtures"
TEST_CACHE = Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser() / "ciphermark-tests"
"""What this and later sessions share, that of other clones included (see scripts/native_tests.sh)."""
