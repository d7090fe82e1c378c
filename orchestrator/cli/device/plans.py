"""Requirements of a plan that a machine lacks: compilers, tools of languages, libraries, material of its inputs."""

from collections.abc import Collection, Iterator
from pathlib import Path

from orchestrator.cli.running.submission import read_plan_text
from orchestrator.compilation.languages.tools import tool_of
from orchestrator.compilation.native.compilers import compiler_of
from orchestrator.compilation.native.libraries import runner_libraries
from orchestrator.runs.planning.plan import read_plan
from orchestrator.shared.errors import BuildFailed
from orchestrator.shared.resources import shipped
from orchestrator.wire.languages.all_languages import language_of_tool
from orchestrator.wire.plans import Plan

_MATERIAL = {"audio": ("ffmpeg", "recorded speech"), "video": ("ffmpeg", "recorded speech"), "text": ("prose: Bible",)}
"""Checks that the inputs of a kind need."""
_INSTALL = "apt-get install "


def plan_lacks(plan: Plan, absent: Collection[str]) -> tuple[list[str], list[str]]:
    """Return what this machine lacks for a plan, and the packages that have it. Default runners may be cross-built.

    absent: names of the failed checks of ``doctor``.
    """
    lacks: dict[str, str] = {}
    for toolchain in plan.all_toolchains():
        language = language_of_tool(toolchain.compiler)
        try:
            tool_of(toolchain, language) if language else compiler_of(toolchain)
        except BuildFailed as error:
            lacks[" ".join(filter(None, (toolchain.compiler, toolchain.version)))] = error.remedy.removeprefix(_INSTALL)
    packages = {library.provider: library.packages[0] for library in runner_libraries(shipped("runners"))}
    for matrix in plan.matrix:
        for provider in matrix.providers:
            if f"library {provider}" in absent:
                lacks[f"library {provider}"] = packages[provider]
        for kind in matrix.inputs.kinds if matrix.inputs else ():
            lacks |= {name: "" for name in _MATERIAL.get(kind, ()) if name in absent}
    return list(lacks), list(dict.fromkeys(filter(None, lacks.values())))


def installed_plans() -> Iterator[tuple[str, Plan]]:
    """Yield the plans of this installation with their names."""
    for path in sorted(shipped("plans").glob("*.yaml")):
        yield path.stem, plan_from(path)


def plan_from(path: Path) -> Plan:
    """Return the plan of a file; raises InvalidRequest."""
    return read_plan(None, read_plan_text(path)).plan
