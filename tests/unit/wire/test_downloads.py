"""The list of downloads has the hash of each file, or a reason for its absence."""

import pytest
from pydantic import ValidationError

from orchestrator.wire.downloads import Downloads
from tests.support.wire_messages import returned

SOURCE = {"path": "/api/v1/downloads/runner-source", "file_name": "runners.tar.gz", "sha256": "1" * 64,
          "size_bytes": 10, "source_sha256": "2" * 64}  # fmt: skip


def test_absent_wheel_survives_json_with_its_reason() -> None:
    downloads = Downloads.model_validate(
        {"runner_source": SOURCE, "agent_wheel": None, "absent": {"agent_wheel": "it is being built"}}
    )

    assert returned(downloads) == downloads


@pytest.mark.parametrize("change", [{"sha256": "1" * 63}, {"size_bytes": -1}, {"url": "http://elsewhere"}])
def test_wrong_hash_size_and_foreign_fields_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Downloads.model_validate({"runner_source": SOURCE | change, "agent_wheel": None})
