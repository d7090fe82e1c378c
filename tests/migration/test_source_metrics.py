"""Builds of earlier versions have no figures of their source code until the scheduler measures them."""

from pathlib import Path

import pytest

from orchestrator.builds.source_metrics.service import measure_next
from orchestrator.builds.source_metrics.stored import sources_of_build
from tests.support.earlier_database import earlier_database, migrated

pytestmark = pytest.mark.long  # a migration that no commit changes any more

LISTING = {"implementations": [{"algorithm": "tinyjambu-128", "variant": "scalar", "kind": "aead"}]}


def test_earlier_builds_are_measured_after_the_migration(tmp_path: Path) -> None:
    url = earlier_database(tmp_path, "0022", [
        ("agents", {"id": "agent0000001", "name": "pi", "state": "ready", "health": "healthy", "labels": [],
                    "held_jobs": [], "notes": ""}),
        ("builds", {"id": 1, "agent_id": "agent0000001", "build_key": "0" * 64, "source_sha256": "1" * 64,
                    "toolchain": {}, "compiler_version": "g++", "runners": {"own": {"listing": LISTING}},
                    "compile_commands": {}, "missing_providers": {}, "is_default": True}),
    ])  # fmt: skip
    with migrated(url) as database:
        assert sources_of_build(database, 1) == []
        assert measure_next(database) == 1
        (found,) = sources_of_build(database, 1)
        assert (found.algorithm, found.source) == ("tinyjambu-128", None)
        assert found.reason == "its sources are not those of this service"
        assert measure_next(database) == 0
