from pathlib import Path

from orchestrator.web import assets


def test_chart_library_is_stored_in_the_cache_folder(tmp_path: Path) -> None:
    asset = assets.find(assets.CHART_LIBRARY, tmp_path)
    (stored,) = tmp_path.iterdir()
    assert stored.read_bytes() == asset.content
    assert b"ciphermarkEmbed" in asset.content
