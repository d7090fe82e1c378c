import pytest
from pydantic import ValidationError

from corpus.published.sources import Download


class TestDownload:
    @pytest.mark.parametrize(
        "fields", [{}, {"listing": "x"}, {"base": "x"}, {"file": "x", "listing": "x", "base": "x"}, {"url": "x"}]
    )
    def test_a_half_named_place_is_refused(self, fields: dict[str, str]) -> None:
        with pytest.raises(ValidationError):
            Download.model_validate(fields)
