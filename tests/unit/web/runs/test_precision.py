from typing import get_args

from orchestrator.runs.schemas import ImpreciseCase
from orchestrator.web.runs.precision import STOP_REASONS


def test_every_stop_reason_has_a_text() -> None:
    assert set(get_args(ImpreciseCase.model_fields["stop_reason"].annotation)) == set(STOP_REASONS)
