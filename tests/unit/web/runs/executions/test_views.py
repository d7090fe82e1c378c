from typing import Any

import pytest

from orchestrator.builds.schemas import FootprintFigures
from orchestrator.web.runs.executions.views import LatencyRow

SIZES = {"key_setup_stack_bytes": 300, "encrypt_stack_bytes": 200, "decrypt_stack_bytes": None}


def row(**values: Any) -> LatencyRow:
    absent = dict.fromkeys(("code_bytes", "static_ram_bytes", "context_bytes"))
    footprint = FootprintFigures(**{**absent, **SIZES}, reason="")
    return LatencyRow.model_construct(**{"footprint": footprint, **values})


@pytest.mark.parametrize(
    ("operation", "key_setup", "label", "stack_bytes"),
    [
        ("encrypt", "apart", "encrypt", 200),
        ("encrypt", "included", "encrypt, key set in each call", 300),
        ("key-setup", "apart", "key setup", 300),
        ("decrypt", "included", "decrypt, key set in each call", None),
    ],
)
def test_call_label_and_stack_follow_operation_and_key_setup(
    operation: str, key_setup: str, label: str, stack_bytes: int | None
) -> None:
    found = row(operation=operation, key_setup=key_setup)
    assert (found.call, found.stack_bytes) == (label, stack_bytes)
