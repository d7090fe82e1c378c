"""Names of agents are safe in URLs and files, and an inventory tolerates facts of a newer daemon."""

import pytest
from pydantic import ValidationError

from orchestrator.wire.agents import EnrollmentRequest


@pytest.mark.parametrize("name", ["pi", "Pi-4.lab_2", "0", "a" * 63])
def test_host_names_are_accepted(name: str) -> None:
    assert EnrollmentRequest(name=name).name == name


@pytest.mark.parametrize("name", ["", "-pi", ".pi", "pi/4", "pi 4", "a" * 64, "pi\n", "ä"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        EnrollmentRequest(name=name)
