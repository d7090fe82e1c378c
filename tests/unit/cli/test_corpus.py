"""Chunks by the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from orchestrator.cli.main import app
from tests.support.commands import succeeded


def test_own_file_becomes_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CIPHERMARK_DATA_FOLDER", str(tmp_path / "data"))
    file = tmp_path / "recording.wav"
    file.write_bytes(bytes(range(256)) * 16)

    def corpus(*arguments: str) -> str:
        return succeeded(CliRunner().invoke(app, ["corpus", *arguments]))

    corpus("add", str(file), "--kind", "audio", "--size", "1 KiB", "--size", "4 KiB")
    listed = json.loads(corpus("list", "--json"))
    assert {(one["kind"], one["length_bytes"]) for one in listed} == {("audio", 1024), ("audio", 4096)}
    assert "2 of 2 chunks are intact" in corpus("verify")
