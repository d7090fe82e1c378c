"""The provider ``go-binding``: the program of Go, which calls the library through cgo."""

from dataclasses import replace

from orchestrator.wire.languages import go
from orchestrator.wire.languages.base import Binding, Language

LANGUAGE = Language(
    provider="go-binding",
    label="Go",
    tools=(replace(go.LANGUAGE.tool("go"), name="go-binding", companions=("gcc",)),),
    sources=("**/*.go",),
    build=(("{tool}", "build", "-trimpath", "-o", "{folder}/ciphermark-go-binding", "."),),
    environment={
        **go.LANGUAGE.environment,
        "CGO_ENABLED": "1",
        "CC": "{gcc}",
        "CGO_CFLAGS": "-O2 '-I{include}'",
        "CGO_LDFLAGS": "'{library}' -lstdc++",
    },
    start=("{folder}/ciphermark-go-binding",),
    binding=Binding(
        go.LANGUAGE,
        shared=("main.go", "go.mod", "internal/program/*.go", "internal/provider/implementation.go"),
    ),
)
