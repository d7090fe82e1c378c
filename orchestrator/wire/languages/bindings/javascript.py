"""The provider ``javascript-binding``: a module in C++ by Node-API, whose headers Node's own packages contain."""

from dataclasses import replace

from orchestrator.wire.languages import javascript
from orchestrator.wire.languages.base import Binding, Headers, Language

_INCLUDE = "path.join(path.dirname(process.execPath), '..', 'include', 'node')"
_MODULE = "{folder}/ciphers/library"

LANGUAGE = Language(
    provider="javascript-binding",
    label="JavaScript",
    tools=(
        replace(
            javascript.LANGUAGE.tool("node"),
            name="node-binding",
            headers=Headers(arguments=("-p", _INCLUDE), file="node_api.h", package="libnode-dev"),
        ),
    ),
    sources=("**/*.js", "**/*.cpp"),
    build=(
        (
            *(
                "{compiler}",
                "-std=c++20",
                "-O2",
                "-shared",
                "-fPIC",
                "-fvisibility=hidden",
                "-I{headers}",
                "-I{include}",
            ),
            *("-o", f"{_MODULE}.node", f"{_MODULE}.cpp", "{library}"),
        ),
    ),
    start=("{tool}", "{folder}/main.js"),
    binding=Binding(javascript.LANGUAGE, shared=("main.js", "package.json", "program/*.js", "ciphers/errors.js")),
)
