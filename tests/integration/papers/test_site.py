"""A site of bundles: the reports of their own readings and an index, and nothing of one that was changed."""

import json
import os
import re
import zipfile
from html import unescape
from pathlib import Path

import pytest

from orchestrator.cli.exit_codes import ExitCode
from orchestrator.papers.bundle.making import bundle_file
from tests.integration.papers.conftest import CHUNKS, MASKED
from tests.integration.papers.test_bundles import changed
from tests.support.commands import executed
from tests.support.live_service import Served


@pytest.fixture(scope="module")
def bundles(filled: Served, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("site")
    papers = {"masked.zip": ("masked-lwc", MASKED.run_id), "evalme.zip": ("evalme-2021", CHUNKS.run_id)}
    for name, (paper, run_id) in papers.items():
        bundle_file(filled.database, paper, run_id).rename(folder / name)
    return [folder / name for name in papers]


def test_site_has_a_report_of_each_bundle_and_an_index_with_their_verdicts(bundles: list[Path], tmp_path: Path) -> None:
    done = executed(os.environ, "papers", "site", *map(str, bundles), "--into", str(tmp_path / "site"))

    assert done.returncode == 0, done.stderr
    index = (tmp_path / "site" / "index.html").read_text()
    reports = sorted(path.name for path in (tmp_path / "site").iterdir() if path.name != "index.html")
    assert reports == [f"evalme-2021-{CHUNKS.run_id}.html", f"masked-lwc-{MASKED.run_id}.html"]
    assert sorted(re.findall(r'href="([^"]+)"', index)) == reports
    with zipfile.ZipFile(bundles[0]) as contents:
        (agent,) = json.loads(contents.read("verdicts.json"))["agents"]
    assert f"<li>{agent['sentence']} {agent['noise']}</li>" in unescape(index)
    for name in (*reports, "index.html"):
        text = (tmp_path / "site" / name).read_text()
        assert "Unsigned: this proves nothing about who measured" in text
        for outside in ("<script", "<link", "src=", 'href="http', "@import"):
            assert outside not in text


def test_nothing_is_written_if_a_bundle_does_not_have_its_verdicts(bundles: list[Path], tmp_path: Path) -> None:
    def falsify(contents: Path) -> None:
        path = contents / "verdicts.json"
        path.write_text(path.read_text().replace('"not reproduced here"', '"reproduced here"', 1))

    falsified = changed(bundles[0], tmp_path, falsify)
    site = tmp_path / "site"
    done = executed(os.environ, "papers", "site", str(bundles[1]), str(falsified), "--into", str(site))

    assert done.returncode == ExitCode.DAMAGED
    assert f"{falsified} cannot be published" in " ".join(done.stderr.split())
    assert not site.exists()
    (signers := tmp_path / "signers").write_text("")
    done = executed(os.environ, "papers", "site", *map(str, bundles), "--into", str(site), "--signers", str(signers))
    assert f"{bundles[0]} cannot be published: The bundle has no signature" in " ".join(done.stderr.split())
    site.write_text("a file")
    done = executed(os.environ, "papers", "site", str(bundles[1]), "--into", str(site))
    assert (done.returncode, "site cannot be written: File exists" in done.stderr) == (ExitCode.REFUSED, True)


def test_a_run_is_published_once(bundles: list[Path], tmp_path: Path) -> None:
    twice = [str(bundles[1])] * 2
    done = executed(os.environ, "papers", "site", *twice, "--into", str(tmp_path / "site"))

    assert done.returncode == ExitCode.USAGE
    assert "name each run once" in done.stderr
