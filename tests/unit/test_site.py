"""The pages of the site: each has a place in its navigation, and links to folders lead to a page."""

import re
from pathlib import Path

from scripts.site.staging import FURTHER, PAGES, stage
from tests.support.paths import REPOSITORY


def test_every_page_is_in_the_navigation(tmp_path: Path) -> None:
    """Sphinx refuses a page without a place, but only `make docs` executes it."""
    stage(REPOSITORY, tmp_path)
    front = (tmp_path / "README.md").read_text()
    navigation = "\n".join(re.findall(r"```\{toctree\}\n(.+?)```", front, flags=re.DOTALL)).splitlines()
    pages = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.suffix in (".md", ".ipynb")}
    placed = {name for name in pages if name.rsplit(".", 1)[0] in navigation}
    listed = {name for name in pages if name.startswith("docs/decisions/0")}  # by the page of their folder
    assert pages - placed - listed == {"README.md"}
    assert set(FURTHER) - pages == {"docs/pictures.md"}  # made later, of a live service
    assert "](plans/index.md)" in front
    assert all(list(REPOSITORY.glob(pattern)) for pattern in PAGES)
