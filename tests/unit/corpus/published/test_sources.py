import pytest
from pydantic import ValidationError

from corpus.kinds import KINDS
from corpus.published.sources import Download, load_sources


class TestLoadSources:
    def test_every_kind_but_random_has_a_published_work(self) -> None:
        sources = load_sources()
        assert set(sources) == set(KINDS) - {"random"}
        for source in sources.values():
            assert "public domain" in source.license
            assert source.address.startswith("https://")
            assert source.files


class TestDownload:
    @pytest.mark.parametrize(
        "fields", [{}, {"listing": "x"}, {"base": "x"}, {"file": "x", "listing": "x", "base": "x"}, {"url": "x"}]
    )
    def test_a_half_named_place_is_refused(self, fields: dict[str, str]) -> None:
        with pytest.raises(ValidationError):
            Download.model_validate(fields)
