"""The table of libraries: its rows, their sources, and what must not be served."""

from pathlib import Path

import pytest

from orchestrator.compilation.native.libraries import TABLE, runner_libraries
from tests.support.paths import REPOSITORY

RUNNERS = REPOSITORY / "runners"


def test_every_row_has_a_source_that_includes_its_header_and_every_source_a_row() -> None:
    libraries = runner_libraries(RUNNERS)
    sources = {path.stem: path.read_text(encoding="utf-8") for path in (RUNNERS / "src" / "baselines").glob("*.cpp")}

    assert {library.provider for library in libraries} == sources.keys()
    for library in libraries:
        assert f"#include <{library.header}>" in sources[library.provider]
        assert library.set_up in ("demo", "libraries")


def test_copyleft_libraries_are_not_served() -> None:
    served = {library.provider: library.served for library in runner_libraries(RUNNERS)}

    assert not any(served[provider] for provider in ("wolfssl", "libgcrypt", "nettle"))
    assert all(served[provider] for provider in ("cryptopp", "botan", "openssl", "libsodium"))


def test_readme_counts_the_libraries() -> None:
    counts = {8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve"}
    text = " ".join((REPOSITORY / "README.md").read_text(encoding="utf-8").split())

    others = [library for library in runner_libraries(RUNNERS) if library.provider not in ("cryptopp", "botan")]
    assert f"Crypto++, Botan, {counts[len(others)]} more libraries" in text


def test_sources_without_a_table_have_no_libraries(tmp_path: Path) -> None:
    assert runner_libraries(tmp_path) == []


def test_row_with_a_missing_column_is_refused(tmp_path: Path) -> None:
    table = tmp_path / TABLE
    table.parent.mkdir(parents=True)
    table.write_text("# comment\n\nopenssl openssl/evp.h crypto libssl-dev\n", encoding="utf-8")

    with pytest.raises(ValueError, match="has 4 columns; expected 7"):
        runner_libraries(tmp_path)
