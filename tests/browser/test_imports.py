"""The page of imports: a file is read in the browser and imported, a wrong one refused, an import deleted."""

import gzip
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from orchestrator.results.imports.document import MAX_FILE_BYTES
from tests.support.browser import log_in
from tests.support.import_files import FOLDER
from tests.support.live_service import Served


@pytest.fixture
def page(chromium: Browser, fresh: Served) -> Iterator[Page]:
    opened = chromium.new_page()
    log_in(opened, fresh.url, fresh.token("submitter"))
    opened.goto(f"{fresh.url}/imports")
    yield opened
    opened.close()


def choose(page: Page, name: str, content: bytes) -> None:
    page.get_by_label("File").set_input_files({"name": name, "mimeType": "text/plain", "buffer": content})
    page.get_by_role("button", name="Import").click()


def test_compressed_file_is_imported_and_deleted(page: Page) -> None:
    page.get_by_label("Device").fill("Pi 4")
    choose(page, "data.gz", gzip.compress((FOLDER / "pyperf.json").read_bytes()))
    expect(page.get_by_role("heading", name="data.gz")).to_be_visible()
    expect(page.get_by_text("No known answer was tested")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="sha256-1024")).to_contain_text("729 ns")
    questions: list[str] = []

    def accept(dialog: Dialog) -> None:
        questions.append(dialog.message)
        dialog.accept()

    page.on("dialog", accept)
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="No imports")).to_be_visible()
    assert len(questions) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}', "No known tool writes such a file: it is a JSON object with the keys 'a'"),
        (gzip.compress(b"{}" * 9000, mtime=0)[:-12], "The file is no whole gzip file of UTF-8 text."),
        (gzip.compress(b" " * (MAX_FILE_BYTES + 1), mtime=0), "The file has more than 8 MiB."),
    ],
    ids=["unknown", "damaged", "large"],
)
def test_wrong_file_is_refused_with_a_sentence(page: Page, content: bytes, message: str) -> None:
    choose(page, "file", content)
    expect(page.get_by_role("alert")).to_contain_text(message)
    page.reload()
    expect(page.get_by_role("heading", name="No imports")).to_be_visible()
