"""Memory footprint of the own ciphers on a target that need not exist here, from object code alone.

Each implementation is compiled and linked alone for the target; nothing is executed. Stacks come from the compiler's
call graph: the deepest path from the first function of an operation. What the target's C library and the compiler's
helpers (memcpy, division) need is in no figure.
"""

import re
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from orchestrator.compilation.native.cmake import configure, measure_code_sizes
from orchestrator.compilation.native.code_sizes import CodeSize
from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.shared.errors import BuildFailed, NotFound
from orchestrator.wire.builds import FootprintResult, Optimization

TABLE = "src/footprint/targets.txt"
"""Path of the table in the folder of the runner sources, which describes its columns."""
_OWN = "own"
FIRMWARE: Optimization = "Os"
"""How firmware is compiled where flash is scarce."""
_OPERATIONS = ("key-setup", "encrypt", "decrypt")
"""Of the functions that alone::Calls points to, in their order; the last one, forget, is no operation."""

_NODE = re.compile(r'node: { title: "([^"]*)" label: "[^"]*\\n(\d+) bytes \(([^)]*)\)')
_EDGE = re.compile(r'edge: { sourcename: "([^"]*)" targetname: "([^"]*)"')
_ROOT_SECTION = re.compile(r"Relocation section '\S*?(_ZN\w*6kAloneILj\d+E\w*)'")
_RELOCATION = re.compile(
    r"[0-9a-f]{8,16} +[0-9a-f]{8,16} +R_\S*(?:ABS|_16_PM|_32|_64)\S* +[0-9a-f]+ +(?:\.text\.)?(\w+)"
)
_LEAST_GCC = 10
"""The first version that knows the C++20 of the ciphers."""


@dataclass(frozen=True)
class SizeTarget:
    """A processor with its compiler: one row of the table."""

    name: str
    compiler: str
    """Prefix of its programs: ``arm-none-eabi``."""
    flags: tuple[str, ...]
    packages: tuple[str, ...]
    """Debian packages of what compiles for it."""

    @property
    def has_compiler(self) -> bool:
        """Return whether its compiler is installed."""
        return shutil.which(f"{self.compiler}-g++") is not None


def read_targets(runners: Path) -> dict[str, SizeTarget]:
    """Return the targets of a folder of runner sources by name; sources of earlier versions have none."""
    table = runners / TABLE
    lines = table.read_text(encoding="utf-8").splitlines() if table.is_file() else []
    rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {
        name: SizeTarget(name, compiler, tuple(flags.split(",")), tuple(packages.split(",")))
        for name, compiler, flags, _headers, packages in rows
    }


@dataclass(frozen=True)
class TargetSizes:
    """Footprints of the own ciphers on a target, and the compiler that they are of."""

    target: SizeTarget
    compiler_version: str
    optimization: Optimization
    rows: list[FootprintResult]


def sizes_on_target(runners: Path, name: str, optimization: Optimization, observer: BuildObserver) -> TargetSizes:
    """Compile the own ciphers for a target and return their footprints.

    Raises NotFound for an unknown target, BuildFailed if its compiler is missing or fails, and Interrupted.
    """
    targets = read_targets(runners)
    target = targets.get(name)
    if target is None:
        raise NotFound(f"There is no target {name!r}.", remedy=f"Expected one of {', '.join(targets)}.")
    version = _compiler_version(target)
    with tempfile.TemporaryDirectory(prefix="ciphermark-sizes-") as folder:
        build = Path(folder)
        options = {
            "CMAKE_TOOLCHAIN_FILE": str((runners / "cmake" / "sizes.cmake").resolve()),
            "CIPHERMARK_SIZES_TARGET": target.name,
            "CIPHERMARK_OPTIMIZATION": optimization,
            "CIPHERMARK_MASKED": "OFF",
            "CIPHERMARK_WERROR": "OFF",
        }
        configure(runners, build, options, observer)
        sizes = measure_code_sizes(build, observer)
        if not sizes.rows:
            raise BuildFailed(f"The sizes on {target.name} are unknown: {sizes.reason}")
        graph = CallGraph.of(path.read_text(encoding="utf-8") for path in sorted(build.rglob("*.ci")))
        functions = _functions_by_root(target, sorted(build.rglob("alone/ciphers/**/*.obj")))
        rows = [_footprint(target, row, functions.get(row.symbol, []), graph) for row in sizes.rows]
        rows.sort(key=lambda row: (row.algorithm, row.code_bytes or 0))
        return TargetSizes(target, version, optimization, rows)


def _compiler_version(target: SizeTarget) -> str:
    compiler = f"{target.compiler}-g++"
    if not target.has_compiler:
        raise BuildFailed(
            f"{compiler}, which compiles for {target.name}, is not installed.",
            remedy=f"apt-get install {' '.join(target.packages)}",
        )
    # Versions before 7 know the second option only.
    command = [compiler, "-dumpfullversion", "-dumpversion"]
    version = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    major = version.partition(".")[0]
    if major.isdecimal() and int(major) < _LEAST_GCC:
        raise BuildFailed(
            f"{compiler} {version} does not know C++20, which the sizes on {target.name} need.",
            remedy=f"Install version {_LEAST_GCC} or newer; Debian 13 has it.",
        )
    return f"{compiler} {version}"


def _functions_by_root(target: SizeTarget, objects: Iterable[Path]) -> dict[str, list[str]]:
    """Return the functions of each implementation, by the symbol that its sizes were linked with."""
    command = [f"{target.compiler}-readelf", "--relocs", "--wide", *map(str, objects)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        raise BuildFailed(f"{command[0]} exited with {result.returncode}: {result.stderr[-500:]}")
    return functions_by_root(result.stdout.splitlines())


def functions_by_root(lines: Iterable[str]) -> dict[str, list[str]]:
    """Return the functions that each root of footprint/alone.h refers to, from the output of ``readelf --relocs``."""
    found: dict[str, list[str]] = {}
    root: str | None = None
    for line in lines:
        if line.startswith("Relocation section"):
            match = _ROOT_SECTION.match(line)
            root = match[1] if match else None
        elif root is not None and (relocation := _RELOCATION.match(line)):
            found.setdefault(root, []).append(relocation[1])
    return found


@dataclass(frozen=True)
class CallGraph:
    """Stack of each function, and whom it calls."""

    stacks: Mapping[str, int | None]
    """Bytes; None where the compiler knows no bound."""
    callees: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, graphs: Iterable[str]) -> "CallGraph":
        """Read what GCC writes with -fcallgraph-info=su."""
        stacks: dict[str, int | None] = {}
        callees: dict[str, set[str]] = defaultdict(set)
        for text in graphs:
            for title, count, kind in _NODE.findall(text):
                stacks[_symbol(title)] = None if kind == "dynamic" else int(count)
            for caller, callee in _EDGE.findall(text):
                callees[_symbol(caller)].add(_symbol(callee))
        return cls(stacks, {caller: frozenset(names) for caller, names in callees.items()})

    def deepest(self, function: str) -> int | None:
        """Return the bytes of the deepest path of calls; None if a function on some path is recursive or unbounded."""
        return self._deepest(function, frozenset())

    def _deepest(self, function: str, above: frozenset[str]) -> int | None:
        own = self.stacks.get(function, 0)  # Without an entry it is the C library's or the compiler's.
        if own is None or function in above:
            return None
        depths = list(self._depths(function, above | {function}))
        return None if None in depths else own + max((depth for depth in depths if depth is not None), default=0)

    def _depths(self, function: str, above: frozenset[str]) -> Iterator[int | None]:
        for callee in sorted(self.callees.get(function, ())):
            yield self._deepest(callee, above)


def _symbol(title: str) -> str:
    """Return the symbol of a function; the title of a local one begins with its file."""
    return title.rpartition(":")[2]


def _footprint(target: SizeTarget, size: CodeSize, functions: list[str], graph: CallGraph) -> FootprintResult:
    stacks = {name: graph.deepest(function) for name, function in zip(_OPERATIONS, functions, strict=False)}
    known = {name: depth for name, depth in stacks.items() if depth is not None}
    reason = "" if len(known) == len(_OPERATIONS) else "the compiler knows no bound for the stack"
    return FootprintResult.from_row(
        size,
        provider=_OWN,
        target=target.name,
        stack_bytes=known if len(known) == len(_OPERATIONS) else None,
        reason="; ".join(filter(None, (size.reason, reason))),
    )
