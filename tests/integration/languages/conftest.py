"""The provider of each language whose tool is installed, and each binding; the compiler cache keeps their objects."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestrator.compilation.installed import InstalledBuild, Program
from orchestrator.compilation.languages.making import build_language
from orchestrator.compilation.languages.tools import FoundTool, find_tools
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.wire.builds import Toolchain
from orchestrator.wire.languages.all_languages import LANGUAGES
from tests.support.compiler_cache import compiled_before
from tests.support.paths import REPOSITORY
from tests.support.runner_programs import Runner
from tests.support.seldom import seldom

TOOLS = [tool.name for language in LANGUAGES for tool in language.tools]
QUICK = "cpython"
"""An interpreter; the part `languages` of test_all.sh executes the others."""


@dataclass(frozen=True)
class Provider:
    """A provider in another language, as it was built here."""

    tool: FoundTool
    build: InstalledBuild

    @property
    def name(self) -> str:
        """Name of the provider."""
        return self.tool.language.provider

    @property
    def program(self) -> Program:
        """Its program, behind its driver."""
        return self.build.runners[self.name]

    @property
    def runner(self) -> Runner:
        """The same as other tests call one."""
        *before, last = self.program.command
        return Runner(Path(last), tuple(before))


@pytest.fixture(scope="session")
def own() -> Runner:
    """Return the runner of our own ciphers."""
    return Runner(REPOSITORY / "build" / "runners" / "ciphermark-own")


def tools() -> list[object]:
    """Return the tools as parameters; those other than QUICK are marked `long`."""
    return [QUICK, *seldom(*(name for name in TOOLS if name != QUICK))]


@pytest.fixture(scope="session", params=tools())
def provider(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Provider:
    """Return the provider of one language's tool after the other."""
    usable = [tool for tool in find_tools() if tool.tool.name == request.param and tool.is_recent]
    if not usable:
        pytest.skip(f"{request.param} is not installed here, or older than its language requires")
    toolchain = Toolchain.model_validate({"compiler": request.param})
    language, observer = usable[0].language, BuildObserver(lambda _: None)
    with compiled_before():
        build = build_language(REPOSITORY / "runners", language, toolchain, tmp_path_factory.mktemp("cache"), observer)
    return Provider(usable[0], build)
