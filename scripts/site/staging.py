"""Copies the pages of the site, so that Sphinx sees neither a build folder nor another file.

A page has the same path as in the repository, and so its links work in both. The navigation is the list of
docs/README.md: Sphinx refuses a page that is not in it.
"""

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

PAGES = (
    "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/**/*.md", "docs/**/*.ipynb", "docs/images/*",
    "bench/README.md", "deploy/systemd/README.md", "deploy/redis.conf", "runners/README.md", "plans/*.yaml",
)  # fmt: skip
FOLDERS = {"docs/decisions": "Decisions", "plans": "Plans of the installation"}
"""Folders that pages link to, with the title of the page that lists them."""
FURTHER = ("docs/pictures.md", "plans/index.md", "SECURITY.md", "CHANGELOG.md")
"""Pages of the navigation that the list does not have."""
_SECTION = re.compile(r"^## (.+)$|^- \[[^\]]+\]\(([^)#]+)\)", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#:]+?)/?\)")


def stage(root: Path, into: Path) -> None:
    """Copy the pages of a checkout, and add the navigation and the pages of folders."""
    shutil.rmtree(into, ignore_errors=True)
    for path in sorted(path for pattern in PAGES for path in root.glob(pattern)):
        copy = into / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    for folder, title in FOLDERS.items():
        (into / folder / "index.md").write_text(_index(into / folder, title), encoding="utf-8")
    for page in into.rglob("*.md"):
        page.write_text(_LINK.sub(lambda link, page=page: _to_page(link, page), page.read_text()), encoding="utf-8")
    front = into / "README.md"
    front.write_text(front.read_text(encoding="utf-8") + _navigation(into), encoding="utf-8")


def _index(folder: Path, title: str) -> str:
    """Return the page of a folder: its pages, or the text of its plans."""
    pages = sorted(folder.glob("*.md"))
    plans = [
        f"## {path.stem}\n\n```{{literalinclude}} {path.name}\n:language: yaml\n```\n" for path in folder.glob("*.yaml")
    ]
    return "\n".join([f"# {title}\n", *sorted(plans), _toctree("", (page.name for page in pages)) if pages else ""])


def _to_page(link: re.Match[str], page: Path) -> str:
    """Return a link to a folder as one to its page."""
    return f"]({link[1]}/index.md)" if (page.parent / link[1] / "index.md").is_file() else link[0]


def _navigation(into: Path) -> str:
    """Return the navigation: a hidden part for each section of docs/README.md with its links."""
    parts, caption, pages = "", "", list[str]()
    for title, target in [*_SECTION.findall((into / "docs/README.md").read_text(encoding="utf-8")), ("More", "")]:
        if title:
            parts += _toctree(caption, pages) if pages else ""
            caption, pages = title, []
        elif target != "../README.md":
            pages.append(str((into / "docs" / target).resolve().relative_to(into.resolve())))
    return f"\n{parts}{_toctree('More', ('docs/README.md', *FURTHER))}"


def _toctree(caption: str, pages: Iterable[str]) -> str:
    names = "\n".join(re.sub(r"\.(md|ipynb)$", "", page) for page in pages)
    hidden = f":hidden:\n:caption: {caption}\n" if caption else ""
    return f"```{{toctree}}\n{hidden}:maxdepth: 1\n\n{names}\n```\n\n"
