"""Go: the provider ``go``."""

from orchestrator.wire.languages.base import Language, Tool

LANGUAGE = Language(
    provider="go",
    label="Go",
    tools=(
        Tool(
            name="go",
            programs=r"go",
            version_arguments=("version",),
            version=r"go version go(\d+(?:\.\d+)*)",
            min_version="1.19",
            package="golang-go",
        ),
    ),
    sources=("**/*.go", "go.mod"),
    excluded=("**/*_test.go",),
    build=(("{tool}", "build", "-trimpath", "{options}", "-o", "{folder}/ciphermark-go", "."),),
    # No network, no other version of the tool, no C compiler.
    environment={
        "GOPROXY": "off",
        "GOFLAGS": "-mod=mod",
        "GOTOOLCHAIN": "local",
        "CGO_ENABLED": "0",
        "GOCACHE": "{scratch}/cache",
    },
    start=("{folder}/ciphermark-go",),
    options={"O2": (), "O0": ("-gcflags=all=-N -l",)},
)
