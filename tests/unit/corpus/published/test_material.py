from pathlib import Path

import pytest

from corpus.material import MaterialMissing
from corpus.published.material import local_material, matching
from corpus.published.sources import load_sources

PROSE = b"Era de complexion recia, seco de carnes, enjuto de rostro, gran madrugador. "


def read(folder: Path) -> bytes:
    with local_material("text", load_sources()["text"], folder).open() as blocks:
        return b"".join(blocks)


class TestMatching:
    def test_the_first_pattern_with_a_match_wins(self) -> None:
        names = ["B.mp4", "a.MP4", "film_512kb.mp4", "c.avi"]
        assert matching(names, ["*.mkv", "*_512kb.mp4", "*.mp4"]) == ["film_512kb.mp4"]
        assert matching(names, ["?.mp4"]) == ["B.mp4", "a.MP4"]
        assert matching(names, ["*.ogg"]) == []

    @pytest.mark.parametrize(
        ("kind", "name"),
        [
            ("audio", "psychopathology_01_freud_64kb.mp3"),
            ("video", "Night.of.the.Living.Dead.1968.mp4"),
            ("video", "night_of_the_living_dead_512kb.mp4"),
            ("text", "El_Quijote.txt"),
            ("text", "pg2000.txt"),
            ("text", "2000-0.txt"),
        ],
    )
    def test_usual_names_of_the_works_are_recognized(self, kind: str, name: str) -> None:
        sources = {str(kind): source for kind, source in load_sources().items()}
        assert matching([name, "readme.md"], sources[kind].files) == [name]


class TestLocalMaterial:
    def test_parts_follow_one_another_by_name(self, tmp_path: Path) -> None:
        (tmp_path / "quijote2.txt").write_bytes(PROSE + b"two")
        (tmp_path / "quijote1.txt").write_bytes(b"\xef\xbb\xbf" + PROSE + b"one")
        (tmp_path / "other.txt").write_bytes(b"no part of it")
        assert read(tmp_path) == PROSE + b"one" + PROSE + b"two"

    def test_reason_names_the_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(MaterialMissing, match=r"no file like \*quijote\*\.txt"):
            read(tmp_path)
        with pytest.raises(MaterialMissing, match="does not exist"):
            read(tmp_path / "absent")
        (tmp_path / "quijote.txt").mkdir()
        with pytest.raises(MaterialMissing, match="no file like"):
            read(tmp_path)
