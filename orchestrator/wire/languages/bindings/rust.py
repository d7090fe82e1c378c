"""The provider ``rust-binding``: the program of Rust, which calls the library as foreign functions."""

from dataclasses import replace

from orchestrator.wire.languages import rust
from orchestrator.wire.languages.base import Binding, Language

LANGUAGE = Language(
    provider="rust-binding",
    label="Rust",
    tools=(replace(rust.LANGUAGE.tool("rustc"), name="rustc-binding"),),
    sources=("src/**/*.rs",),
    build=(
        (
            *("{tool}", "--edition", "2021", "-Copt-level=2", "-Clinker={compiler}"),
            # rustc links without the libraries that the compiler would add.
            *("-Clink-arg={library}", "-Clink-arg=-lstdc++", "-Clink-arg=-lgcc"),
            *("-o", "{folder}/ciphermark-rust-binding", "{folder}/src/main.rs"),
        ),
    ),
    environment=rust.LANGUAGE.environment,
    start=("{folder}/ciphermark-rust-binding",),
    binding=Binding(rust.LANGUAGE, shared=("src/*.rs", "src/program/*.rs", "src/provider/mod.rs")),
)
