"""The provider ``javascript-binding``: a module in C++ by Node-API, whose headers Node's own packages contain."""

from dataclasses import replace

from orchestrator.wire.languages import javascript
from orchestrator.wire.languages.base import Binding, Headers, Language, module_of_library

_INCLUDE = "path.join(path.dirname(process.execPath), '..', 'include', 'node')"

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
    build=(module_of_library("node"),),
    start=("{tool}", "{folder}/main.js"),
    binding=Binding(javascript.LANGUAGE, shared=("main.js", "package.json", "program/*.js", "ciphers/errors.js")),
)
