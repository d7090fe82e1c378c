"""Rust: the provider ``rust``. It is compiled without cargo, because it has no dependencies."""

from orchestrator.wire.languages.base import Language, Tool

_OPTIMIZATIONS = {"O0": "0", "O1": "1", "O2": "2", "O3": "3", "Os": "s"}

LANGUAGE = Language(
    provider="rust",
    label="Rust",
    tools=(
        Tool(
            name="rustc",
            programs=r"rustc",
            version_arguments=("--version",),
            version=r"^rustc (\d+(?:\.\d+)*)",
            min_version="1.63",
            package="rustc",
            prefix_arguments=("--print", "sysroot"),
        ),
    ),
    sources=("src/**/*.rs",),
    build=(("{tool}", "--edition", "2021", "{options}", "-o", "{folder}/ciphermark-rust", "{folder}/src/main.rs"),),
    environment={"CIPHERMARK_COMPILER_VERSION": "{version}"},
    start=("{folder}/ciphermark-rust",),
    options={name: (f"-Copt-level={level}",) for name, level in _OPTIMIZATIONS.items()},
    machine_option="-Ctarget-cpu={march}",
)
