"""Command list: the implementations and the interpreter."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
import sysconfig
from typing import Any

from program.implementation import Implementation
from program.implementations import PROVIDER, VERSION, implementations
from program.known_answers import read_vectors
from program.measure import Phases
from program.options import Options


def execute(_options: Options, _phases: Phases) -> None:
    """Print the listing."""
    build = _build()
    rows = [_describe(one) for one in implementations()]
    listing = {"protocol": 2, "provider": PROVIDER, "version": VERSION, "build": build, "generators": []}
    print(json.dumps({**listing, "implementations": rows}, indent=1))


def _build() -> dict[str, Any]:
    name = platform.python_implementation()
    version = platform.python_version()
    if name == "PyPy":
        version = ".".join(map(str, sys.pypy_version_info[:3]))  # type: ignore[attr-defined]
    return {
        "language": "Python",
        "language_version": f"{name} {version}",
        "compiler": name,
        "compiler_version": version,
        "flags": "",
        "optimization": None,
        "link": None,
        "target": sysconfig.get_platform(),
        "headers_version": "",
        "planted": None,
    }


def _describe(one: Implementation) -> dict[str, Any]:
    return {
        "algorithm": one.algorithm,
        "variant": one.variant,
        "kind": one.kind,
        "key_bytes": one.key_bytes,
        "nonce_bytes": one.nonce_bytes,
        "tag_bytes": one.tag_bytes,
        "block_bytes": one.block_bytes,
        "whole_blocks_only": one.whole_blocks_only,
        "constant_time": one.constant_time,
        "default": one.default,
        "available": True,
        "reason": None,
        "requires": [],
        "masking": None,
        "source": one.source,
        "vectors_sha256": hashlib.sha256(read_vectors(one.algorithm)).hexdigest(),
    }
