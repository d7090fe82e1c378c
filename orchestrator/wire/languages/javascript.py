"""JavaScript: the provider ``javascript`` on Node."""

from orchestrator.wire.languages.base import Language, Tool

LANGUAGE = Language(
    provider="javascript",
    label="JavaScript",
    tools=(
        Tool(
            name="node",
            programs=r"node(js)?",
            version_arguments=("--version",),
            version=r"^v(\d+\.\d+\.\d+)",
            min_version="18",
            package="nodejs",
        ),
    ),
    sources=("**/*.js", "package.json"),
    excluded=("tests/**", "node_modules/**"),
    start=("{tool}", "{options}", "{folder}/main.js"),
    # Without the just-in-time compilers the engine interprets its bytecode.
    options={"O2": (), "O0": ("--jitless",)},
)
