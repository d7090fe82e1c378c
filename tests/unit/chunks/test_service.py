import os
from pathlib import Path

import pytest

from corpus.catalogue import chunk_store
from orchestrator.runs.chunks.service import VerifiedChunks
from orchestrator.shared.errors import InvalidRequest, Unavailable


class TestVerifiedChunks:
    def test_a_chunk_damaged_after_it_was_verified_is_refused(self, tmp_path: Path) -> None:
        stored = chunk_store(tmp_path).put_stream([b"abc"])
        chunks = VerifiedChunks(tmp_path)
        path = chunks.path(stored.sha256)
        path.write_bytes(b"abd")
        os.utime(path, ns=(1, 1))
        with pytest.raises(Unavailable, match="damaged"):
            chunks.path(stored.sha256)
        with pytest.raises(Unavailable, match="missing in the corpus folder"):
            chunks.path(stored.sha256)

    def test_a_path_is_no_sha256(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidRequest):
            VerifiedChunks(tmp_path).path("../../etc/passwd")
