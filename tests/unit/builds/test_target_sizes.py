"""Stacks and symbols on a target, read from what GCC and readelf write."""

import os
from pathlib import Path

import pytest

from orchestrator.compilation.native.steps import BuildObserver
from orchestrator.compilation.target_sizes import CallGraph, functions_by_root, read_targets, sizes_on_target
from orchestrator.shared.errors import BuildFailed, NotFound

RUNNERS = Path("runners")


def graph(*lines: str) -> CallGraph:
    return CallGraph.of(["\n".join(('graph: { title: "unit.cpp"', *lines, "}"))])


def node(title: str, stack_bytes: int, kind: str = "static") -> str:
    return f'node: {{ title: "{title}" label: "void f()\\nfile.h:1:1\\n{stack_bytes} bytes ({kind})" }}'


def edge(caller: str, callee: str) -> str:
    return f'edge: {{ sourcename: "{caller}" targetname: "{callee}" label: "file.h:2:3" }}'


class TestStack:
    def test_it_is_that_of_the_deepest_path(self) -> None:
        found = graph(
            node("seal", 40), node("round", 16), node("/a/unit.cpp:absorb", 100), node("tail", 8),
            edge("seal", "round"), edge("seal", "/a/unit.cpp:absorb"), edge("/a/unit.cpp:absorb", "tail"),
        )  # fmt: skip
        assert found.deepest("seal") == 148
        assert found.deepest("absorb") == 108

    def test_it_is_unknown_where_the_compiler_knows_no_bound(self) -> None:
        again = graph(node("seal", 8), node("round", 8), edge("seal", "round"), edge("round", "seal"))
        assert again.deepest("seal") is None
        assert graph(node("seal", 8), node("alloca", 8, "dynamic"), edge("seal", "alloca")).deepest("seal") is None
        assert graph(node("seal", 8, "dynamic,bounded")).deepest("seal") == 8


class TestSymbols:
    def test_an_implementation_has_the_functions_that_its_root_refers_to(self) -> None:
        name = "_ZN10ciphermark11alone_x_cpp6kAloneILj0EEE"
        lines = [
            f"Relocation section '.rel.rodata.{name}' at offset 0xba80 contains 2 entries:",
            " Offset     Info    Type                Sym. Value  Symbol's Name",
            "00000000  0002fd02 R_ARM_ABS32            00000001   _ZN3key5setupE",
            "00000004  00035902 R_ARM_ABS32            00000001   _ZN4sealE",
            "",
            "Relocation section '.rela.data.rel.ro.other' at offset 0x1 contains 1 entry:",
            "0000000000000000  0000003000000101 R_AARCH64_ABS64        0000000000000000 _ZN5otherE + 0",
            f"Relocation section '.rela.data.rel.ro.{name.replace('x', 'y')}' at offset 0x1 contains 1 entry:",
            "0000000000000000  0000003000000101 R_AARCH64_ABS64        0000000000000000 .text._ZN4openE + 0",
            f"Relocation section '.rela.rodata.{name.replace('x', 'z')}' at offset 0x1 contains 1 entry:",
            "00000002  00001505 R_AVR_16_PM            00000000   _ZN4sealE + 0",
        ]
        assert functions_by_root(lines) == {
            name: ["_ZN3key5setupE", "_ZN4sealE"],
            name.replace("x", "y"): ["_ZN4openE"],
            name.replace("x", "z"): ["_ZN4sealE"],
        }


def test_an_unknown_target_is_refused_with_the_known_ones() -> None:
    with pytest.raises(NotFound, match="z80") as refused:
        sizes_on_target(RUNNERS, "z80", "Os", BuildObserver(lambda _: None))
    assert all(name in str(refused.value.remedy) for name in read_targets(RUNNERS))


def test_a_compiler_before_c_plus_plus_20_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "avr-g++").write_text("#!/bin/sh\necho 5.4.0\n")
    (tmp_path / "avr-g++").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(BuildFailed, match=r"avr-g\+\+ 5\.4\.0 does not know C\+\+20") as refused:
        sizes_on_target(RUNNERS, "avr5", "Os", BuildObserver(lambda _: None))
    assert "10 or newer" in str(refused.value.remedy)
