import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.catalogue import Catalogue, ChunkEntry, Origin, by_preference
from orchestrator.shared.errors import SetupError
from tests.support.paths import REPOSITORY


def entry(number: int = 0, origin: Origin = "generated", length_bytes: int = 1024) -> ChunkEntry:
    return ChunkEntry(
        kind="text",
        length_bytes=length_bytes,
        sha256=f"{number:064x}",
        origin=origin,
        title="Prose",
        license="public domain",
        address=None,
        repeated=False,
        offset_bytes=0,
        made_at=datetime.fromtimestamp(number, UTC),
    )


@pytest.fixture
def catalogue(tmp_path: Path) -> Catalogue:
    return Catalogue(tmp_path / "corpus")


class TestEntries:
    @pytest.mark.parametrize("text", ["", "{", '{"version": 2, "chunks": []}', '{"chunks": [{"kind": "picture"}]}'])
    def test_a_damaged_manifest_is_named(self, catalogue: Catalogue, text: str) -> None:
        catalogue.folder.mkdir()
        catalogue.path.write_text(text)
        with pytest.raises(SetupError, match=r"manifest\.json is not a manifest"):
            catalogue.entries()


class TestFind:
    def test_the_users_chunk_is_preferred_to_a_newer_one(self, catalogue: Catalogue) -> None:
        user, source, generated = entry(1, "user"), entry(2, "source"), entry(3, "generated")
        catalogue.change(add=[generated, user, source])
        assert catalogue.find("text", 1024) == user
        catalogue.change(remove=[user])
        assert catalogue.find("text", 1024) == source

    @given(st.lists(st.builds(entry, st.integers(0, 99), st.sampled_from(["user", "source", "generated"]))))
    def test_the_order_of_entries_decides_nothing(self, entries: list[ChunkEntry]) -> None:
        assert by_preference(entries)[:1] == by_preference(reversed(entries))[:1]


class TestChange:
    def test_the_same_bytes_are_listed_once(self, catalogue: Catalogue) -> None:
        catalogue.change(add=[entry(1, "generated")])
        catalogue.change(add=[entry(1, "user")])
        assert catalogue.entries() == (entry(1, "user"),)

    def test_two_writers_lose_nothing(self, catalogue: Catalogue, tmp_path: Path) -> None:
        # Each process adds fifty entries one by one; without the lock some of them overwrite each other's manifest.
        script = tmp_path / "write.py"
        script.write_text(
            "import sys; from pathlib import Path\n"
            f"sys.path[:0] = [{str(REPOSITORY)!r}, {str(Path(__file__).parent)!r}]\n"
            "from corpus.catalogue import Catalogue; from test_catalogue import entry\n"
            "for n in range(int(sys.argv[2]), int(sys.argv[2]) + 50):\n"
            "    Catalogue(Path(sys.argv[1])).change(add=[entry(n)])\n"
        )
        writers = [
            subprocess.Popen([sys.executable, str(script), str(catalogue.folder), first]) for first in ("0", "50")
        ]
        assert [writer.wait() for writer in writers] == [0, 0]
        assert len(catalogue.entries()) == 100
