"""``bench/masked.py``: its published figures are those of the masked variants that the own runner offers."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench._masked_cells import GENERATORS, LENGTHS_BYTES, SHARES, published, published_rows
from tests.support.runner_programs import REPOSITORY, Runner

SCRIPT = REPOSITORY / "bench" / "masked.py"
ROWS = published_rows(published())
LATER = {"ascon-aead128", "tinyjambu-128", "tinyjambu-192", "tinyjambu-256", "xoodyak"}
"""Masked as well, but newer than the page: the standard, and versions of NIST's final round."""


@pytest.fixture(scope="module")
def masked(own: Runner) -> list[dict[str, Any]]:
    """Return the masked variants of the own runner."""
    return [row for row in own.list()["implementations"] if row["masking"]]


def test_every_cell_has_a_published_time_and_overhead() -> None:
    keys = set(published())
    assert len(ROWS) == 32
    for row in ROWS:
        for shares in SHARES:
            assert ("overhead", *row, "arduino-due", "-", str(shares)) in keys
            assert {
                ("ns", *row, generator, str(length), str(shares))
                for generator in GENERATORS
                for length in LENGTHS_BYTES
            } <= keys
        assert {("ns", *row, "-", str(length), "1") for length in LENGTHS_BYTES} <= keys


def test_every_row_is_a_registered_form(masked: list[dict[str, Any]]) -> None:
    offered = {
        (row["algorithm"], degree): set(row["masking"]["shares"])
        for row in masked
        for degree in row["masking"]["degrees"]
    }
    # `make test` compiles forms with up to 3 shares.
    compiled = {shares for shares in SHARES if shares <= max(map(max, offered.values()))}
    assert compiled >= {2, 3}
    assert {row: offered.get(row) for row in ROWS} == dict.fromkeys(ROWS, compiled)


def test_every_registered_form_is_a_row(masked: list[dict[str, Any]]) -> None:
    forms = {(row["algorithm"], degree) for row in masked for degree in row["masking"]["degrees"]}
    assert {form for form in forms if form[0] not in LATER} == set(ROWS)
    assert {algorithm for algorithm, _ in forms} >= LATER


def test_plan_measures_the_ciphers_of_the_rows() -> None:
    plan = yaml.safe_load((REPOSITORY / "plans" / "masked-lwc.yaml").read_text())
    entry = next(entry for entry in plan["matrix"] if "masking" in entry)
    assert set(entry["algorithms"]) == {algorithm for algorithm, _ in ROWS}
    assert set(entry["masking"]["shares"]) == set(SHARES)
    assert set(entry["masking"]["generators"]) == set(GENERATORS)


def test_stored_readings_are_evaluated_like_those_of_the_run(own: Runner, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    only = ["--only", "spoc-64", "--shares", "2", "--blocks", "1", "--seed", "7"]
    run = _bench("--runner", str(own.path), *only, "--result", str(result))
    stored = json.loads(result.read_text())
    assert stored["facts"]["seed"] == 7
    # Unmasked, and one masked variant with two generators; with and without key setup, two lengths, two directions.
    assert len(stored["readings"]) == (1 + 2) * 2 * 2 * 2
    assert all(ns > 0 for reading in stored["readings"] for ns in reading["call_cpu_ns"])
    assert [line for line in run.splitlines() if line.startswith("spoc-64")]
    assert _bench("--read", str(result)).splitlines()[1:] == run.splitlines()[1:]


def _bench(*options: str) -> str:
    """Return what the script prints; a missed aim ends it with 1."""
    ended = subprocess.run([sys.executable, SCRIPT, *options], capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode in (0, 1), ended.stderr
    assert "Traceback" not in ended.stderr, ended.stderr
    return ended.stdout
