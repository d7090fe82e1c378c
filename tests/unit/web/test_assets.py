import gzip
import hashlib
from pathlib import Path

import pytest

from orchestrator.shared.errors import NotFound
from orchestrator.web import assets


@pytest.mark.parametrize("name", sorted(assets.own_assets()))
def test_asset_is_compressed_and_its_address_contains_its_digest(name: str, tmp_path: Path) -> None:
    asset = assets.find(name, tmp_path)
    assert gzip.decompress(asset.compressed) == asset.content
    assert assets.address(name) == f"/static/{name}?v={hashlib.sha256(asset.content).hexdigest()[:12]}"


def test_unknown_asset_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no page asset"):
        assets.find("../router.py", tmp_path)


def test_chart_library_is_stored_in_the_cache_folder(tmp_path: Path) -> None:
    asset = assets.find(assets.CHART_LIBRARY, tmp_path)
    (stored,) = tmp_path.iterdir()
    assert stored.read_bytes() == asset.content
    assert b"ciphermarkEmbed" in asset.content
