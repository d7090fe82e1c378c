"""All languages, and the language of a tool or a provider."""

from orchestrator.wire.languages import go, java, javascript, python, rust
from orchestrator.wire.languages.base import Language
from orchestrator.wire.languages.bindings import go as go_binding
from orchestrator.wire.languages.bindings import javascript as javascript_binding
from orchestrator.wire.languages.bindings import python as python_binding
from orchestrator.wire.languages.bindings import rust as rust_binding

BINDINGS: tuple[Language, ...] = (
    python_binding.LANGUAGE,
    javascript_binding.LANGUAGE,
    go_binding.LANGUAGE,
    rust_binding.LANGUAGE,
)
LANGUAGES: tuple[Language, ...] = (
    *(python.LANGUAGE, javascript.LANGUAGE, go.LANGUAGE, rust.LANGUAGE, java.LANGUAGE),
    *BINDINGS,
)

_BY_TOOL = {tool.name: language for language in LANGUAGES for tool in language.tools}
_BY_PROVIDER = {language.provider: language for language in LANGUAGES}


def language_of_tool(compiler: str) -> Language | None:
    """Return the language whose tool a toolchain names; None for compilers of the native runners."""
    return _BY_TOOL.get(compiler)


def language_of_provider(provider: str) -> Language | None:
    """Return the language of a provider; None for native ones."""
    return _BY_PROVIDER.get(provider)
