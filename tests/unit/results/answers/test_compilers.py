import pytest

from orchestrator.results.comparisons.compilers import compiler_name, same_compiler

DEBIAN = "g++ (Debian 12.2.0-14+deb12u1) 12.2.0"


@pytest.mark.parametrize(
    ("described", "name"),
    [
        (DEBIAN, "gcc 12.2.0"),
        ("GNU 12.2.0", "gcc 12.2.0"),
        ("g++-12 (Ubuntu 12.3.0-1ubuntu1~22.04) 12.3.0", "gcc 12.3.0"),
        ("Debian clang version 14.0.6", "clang 14.0.6"),
        ("Clang 14.0.6", "clang 14.0.6"),
        ("Intel(R) oneAPI DPC++/C++ Compiler 2024.0.2 (2024.0.2.20231213)", "icpx 2024.0.2"),
        ("IntelLLVM 2024.0.2", "icpx 2024.0.2"),
        ("Python 3.11.2", "Python 3.11.2"),
        ("", ""),
    ],
)
def test_one_compiler_has_one_name(described: str, name: str) -> None:
    assert compiler_name(described) == name


def test_revisions_differ_only_where_both_are_known() -> None:
    assert same_compiler(DEBIAN, "GNU 12.2.0")
    assert not same_compiler(DEBIAN, DEBIAN.replace("-14+", "-15+"))
    assert not same_compiler(DEBIAN, "GNU 12.3.0")
    assert not same_compiler("GNU 14.0.6", "Clang 14.0.6")
