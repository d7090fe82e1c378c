"""Plans of at most 1 MiB that are expensive to read or to expand."""

import json
from collections.abc import Iterator
from typing import Any

_BASE = {"version": 1, "name": "hostile", "repetitions": 1}


def _plan(*matrices: dict[str, Any], **other: Any) -> str:
    return json.dumps({**_BASE, **other, "matrix": list(matrices)})


def _process(**other: Any) -> dict[str, Any]:
    return {"providers": ["*"], "algorithms": ["*"], "inputs": {"kinds": ["random"], "sizes": ["1 KiB"]}, **other}


def _latency(lengths: int, associated: int, **other: Any) -> dict[str, Any]:
    messages = {
        "lengths": list(range(1, lengths + 1)),
        "associated_data_lengths": list(range(associated)),
        "operations": ["encrypt", "decrypt", "key-setup"],
        "key_setup": ["apart", "included"],
    }
    return {"providers": ["*"], "algorithms": ["*"], "protocol": "latency", "messages": messages, **other}


def _patterns(count: int, offset: int = 0) -> list[str]:
    """Return distinct patterns that match every name and are slow to compile and to match."""
    found = []
    for number in range(offset, offset + count):
        stars = "".join("*" if number >> bit & 1 else "**" for bit in range(20))
        found.append(f"{stars}[!_][a-z0-9-]*"[:64])
    return found


def hostile_plans() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each plan."""
    yield "12 KiB: one matrix of 600 000 messages", _plan(_latency(1000, 100))
    yield "100 matrices of 10 000 messages", _plan(*[_latency(100, 16) for _ in range(100)])
    yield "100 equal matrices of 1 000 lengths", _plan(*[_latency(1000, 1) for _ in range(100)])
    sizes = [_process(inputs={"kinds": ["random"], "sizes": list(range(n, n + 1000))}) for n in range(1, 101)]
    yield "100 matrices with 1 000 sizes each", _plan(*sizes)
    subsets = [_process(algorithms=[f"*{'abcdefghij'[n % 10]}*"], inputs=sizes[n]["inputs"]) for n in range(100)]
    yield "100 matrices of other subsets", _plan(*subsets)
    yield (
        "1 000 patterns in each of 15 matrices",
        _plan(*[_process(algorithms=_patterns(1000, 1000 * n)) for n in range(15)]),
    )
    yield "1 000 equal patterns in 100 matrices", _plan(*[_process(algorithms=["*"] * 1000) for _ in range(100)])
    yield (
        "100 patterns of providers and of variants in 100 matrices",
        _plan(*[_process(providers=["*"] * 100, variants=_patterns(100)) for _ in range(100)]),
    )
    yield (
        "all variants in 64 toolchains",
        _plan(
            *[_process(variants=["*"]) for _ in range(100)],
            toolchains=[{"optimization": ["O0", "O1", "O2", "O3"], "march": [f"m{n}" for n in range(16)]}],
        ),
    )
    yield "1 000 copies", _plan(_process(copies=1000))
    yield "most cases", _plan(_process(variants=["*"], inputs={"kinds": ["random"], "sizes": list(range(1, 201))}))
    yield "1 000 patterns of agents", _plan(_process(), agents=_patterns(1000))
    yield "1 000 unknown agents", _plan(_process(), agents=[f"a{n}" for n in range(1000)])
    yield "100 000 wrong algorithms", _plan(*[_process(algorithms=["A"] * 1000) for _ in range(100)])
    yield "90 000 unknown keys", _plan(_process(), **{f"k{n}": 1 for n in range(80_000)})
    yield "a duplicate key after 80 000", '{"a":1,' + ",".join(f'"k{n}":1' for n in range(80_000)) + ',"a":2}'
    yield "brackets", '{"version":1,"matrix":[' + "[]," * 330_000 + "[]]}"
    yield "deep brackets", '{"version":' + "[" * 1_000_000
    yield "an open string", '{"version":"' + '\\"' * 500_000
    yield "a long number", '{"version":' + "1" * 1_000_000 + "}"
    yield "a long string", _plan(_process(), description="x" * 1_000_000)
    yield "a long text of control characters", _plan(_process(), description="\x01" * 170_000)
    yield "YAML: numbers to the base 60", "version: " + ":".join(["1"] * 500_000)
    yield "YAML: fractions to the base 60", "version: " + ":".join(["1"] * 400_000) + ".5"
    yield "YAML: entries", "version: 1\nmatrix: [" + ",".join(["a"] * 500_000) + "]\n"
    yield "YAML: keys", "\n".join(f"k{n}: 1" for n in range(90_000))
    yield "YAML: mappings", "matrix:" + "\n- {a: b}" * 110_000
    yield "YAML: nesting", "[" * 1_000_000
    yield "YAML: aliases", "a: &a [x,x]\n" + "\n".join(f"k{n}: [*a,*a,*a]" for n in range(60_000))
    yield "YAML: a merge key", "<<: " + "{a: {<<: " * 8 + "1" + "}}" * 8
    yield "YAML: a tag", 'version: !!timestamp "x"'
    yield "YAML: dates", "matrix: [" + ",".join(["2026-11-22 10:00:00"] * 40_000) + "]"
    yield "YAML: floats", "matrix: [" + ",".join(["1.5e300"] * 100_000) + "]"
    yield "YAML: escapes", 'description: "' + "\\x41" * 250_000 + '"'
    yield "YAML: a comment", "#" * 1_000_000
    yield "YAML: an open quote", "version: '" + "''" * 500_000
    yield "YAML: indentation", "\n".join(" " * n + "a:" for n in range(1400))
    yield "YAML: question marks", "? " * 500_000
