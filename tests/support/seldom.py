"""Parameters of a test that only `make test-all` executes."""

import pytest


def seldom(*values: object) -> list[pytest.ParameterSet]:
    """Return the values as parameters that are marked `long`."""
    return [pytest.param(value, marks=pytest.mark.long) for value in values]
