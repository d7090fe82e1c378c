"""The real runners built with clang: links, known answers, command lines, and footprints."""

import shutil
from pathlib import Path

import pytest

from orchestrator.compilation.footprints import find_footprints
from orchestrator.compilation.installed import InstalledBuild
from orchestrator.compilation.native.build import build
from orchestrator.compilation.native.code_sizes import load_code_sizes
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.proofs import prove
from orchestrator.shared.resources import shipped
from orchestrator.shared.settings import CommonSettings
from orchestrator.wire.builds import Toolchain
from tests.support.runner_programs import MORE_LIBRARIES, PROVIDERS

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("clang")]


@pytest.fixture(scope="session")
def clang_build() -> InstalledBuild:
    """The runners built with clang, once per source in the user's cache, as in the acceptance tests."""
    assert shutil.which("clang++"), "scripts/setup.sh test installs it"
    toolchain = Toolchain(compiler="clang", optimization="O0")
    return build(shipped("runners"), toolchain, CommonSettings().cache_folder, BuildObserver(lambda _: None))


class TestClang:
    def test_all_providers_are_built_and_proved(self, clang_build: InstalledBuild) -> None:
        proofs = prove(clang_build, lambda _: None).proofs

        missing = clang_build.report.missing_providers
        assert set(clang_build.programs) == {*PROVIDERS, *MORE_LIBRARIES} - missing.keys()
        # `make libraries` installs the other libraries; each that is not installed is named with its package.
        assert missing.keys() <= set(MORE_LIBRARIES)
        assert all(": install lib" in reason or ": install nettle" in reason for reason in missing.values()), missing
        assert [proof for proof in proofs if not proof.passed] == []

    def test_every_step_uses_clang(self, clang_build: InstalledBuild) -> None:
        commands = clang_build.report.compile_commands

        assert set(commands) == {"ciphers", *clang_build.programs}
        for command in commands.values():
            assert Path(command.split()[0]).name.startswith("clang++")
            assert str(Path.cwd()) not in command
        assert " -O0 " in commands["ciphers"]
        assert "clang" in clang_build.report.compiler_version

    def test_every_own_implementation_has_a_footprint(self, clang_build: InstalledBuild) -> None:
        proofs = prove(clang_build, lambda _: None)
        rows = find_footprints(clang_build, proofs, BuildObserver(lambda _: None))

        sizes = load_code_sizes(clang_build.folder)
        assert sizes is not None
        assert sizes.reason == ""
        assert len(rows) == sum(proof.passed for proof in proofs.proofs)
        for row in rows:
            if row.provider == "own":
                assert row.code_bytes, row
                # The stack of a masked variant depends on its form, which footprints do not name.
                assert bool(row.stack_bytes) != row.variant.startswith("masked"), row
