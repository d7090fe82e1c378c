"""apt's configuration for the packages of another architecture."""

import subprocess
from pathlib import Path

import pytest

from orchestrator.cli.cross_builds.machines import TARGETS
from orchestrator.cli.cross_builds.sysroot import apt_configuration, find_sysroot


def values(tmp_path: Path, sources: Path | None = None) -> dict[str, str]:
    """Return the configuration as apt reads it."""
    path = tmp_path / "apt.conf"
    path.write_text(apt_configuration(TARGETS["armhf"], tmp_path, sources), encoding="utf-8")
    dump = subprocess.run(["apt-config", f"-c={path}", "dump"], capture_output=True, text=True, check=True).stdout
    return dict(line.rstrip(";").split(" ", 1) for line in dump.splitlines() if " " in line)


class TestAptConfiguration:
    def test_signatures_are_required_and_no_hook_of_this_machine_is_executed(self, tmp_path: Path) -> None:
        found = values(tmp_path)

        assert found["Acquire::AllowInsecureRepositories"] == '"false"'
        assert found["APT::Get::AllowUnauthenticated"] == '"false"'
        assert [name for name in found if "Invoke" in name and name.endswith("::")] == []

    def test_given_sources_replace_those_of_this_machine(self, tmp_path: Path) -> None:
        found = values(tmp_path, tmp_path / "sources.list")

        assert found["Dir::Etc::sourcelist"] == f'"{tmp_path}/sources.list"'
        assert found["Dir::Etc::sourceparts"] == '"/dev/null"'


@pytest.mark.parametrize("content", [None, "not JSON", '[{"name": "x"}]'])
def test_incomplete_sysroot_is_made_again(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "packages.json").write_text(content)

    assert find_sysroot(tmp_path) is None
