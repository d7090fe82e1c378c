"""The software bill of materials has every package of the locks, of the chart library and of the runners."""

import re

import pytest

from tests.support.paths import REPOSITORY

pytest.importorskip("cyclonedx", reason="installed by scripts/venv.sh dev")

from scripts.sbom import bill_of_materials, runner_components


@pytest.mark.long
def test_bill_of_materials_is_complete_and_has_hashes() -> None:
    components = {one["bom-ref"]: one for one in bill_of_materials()["components"]}
    named = {(one["name"].lower().replace("_", "-"), one["version"]) for one in components.values()}
    locked = re.findall(
        r"^([a-z0-9.-]+)==([^ \\]+)", (REPOSITORY / "requirements/service.txt").read_text(), re.MULTILINE
    )
    assert len(locked) > 30
    assert set(locked) <= named
    assert {"vega", "vega-lite", "vega-embed", "d3-array"} <= {name for name, _ in named}
    python = next(one for one in components.values() if one["name"] == "fastapi")
    assert any(re.fullmatch(r"[0-9a-f]{64}", reference["hashes"][0]["content"])
               for reference in python["externalReferences"] if reference.get("hashes"))  # fmt: skip


def test_libraries_of_the_runners_have_versions_and_licenses() -> None:
    found = {one["name"]: one for one in runner_components()}
    assert "libcrypto++-dev" in found, "installed by scripts/setup.sh"
    assert all(one["version"] and one["licenses"] for one in found.values())
