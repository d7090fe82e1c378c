"""Make the site of the documentation in build/site; a broken link, a page without a place or an error ends it with 1.

    .venv/bin/python -m scripts.site.make [--readme]

The notebook and the pictures need a service: one is started with the stored runs of tests/fixtures. With --readme, the
picture of the README is made again, too; it is in git, because the README is read where nothing is installed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from orchestrator.service.security import tokens
from orchestrator.shared import logs
from scripts.site.pictures import take_pictures
from scripts.site.staging import stage
from tests.support import measured_runs
from tests.support.live_service import serve

ROOT = Path(__file__).resolve().parents[2]
SOURCE, SITE = ROOT / "build/site-source", ROOT / "build/site"
RUN = "packets"
"""Stored run of the notebook and the pictures."""
_FRONT = (
    '<!doctype html><meta charset="utf-8"><title>Ciphermark</title>'
    '<meta http-equiv="refresh" content="0; url=README.html">'
)


def main() -> int:
    """Make the site and return the exit code of Sphinx."""
    logs.configure("error")
    stage(ROOT, SOURCE)
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder) / "data") as served:
        for name in sorted(measured_runs.names(), key=lambda name: name == RUN):  # The latest run is that one.
            run_id = measured_runs.store(served.database, name)
        with served.database.write() as session:
            _, token = tokens.create(session, "submitter", "site")
        take_pictures(served.url, token, run_id, SOURCE / "docs/pictures")
        if "--readme" in sys.argv[1:]:
            for pictures in (ROOT / "docs/images", SOURCE / "docs/images"):
                pictures.mkdir(exist_ok=True)
                shutil.copyfile(SOURCE / "docs/pictures/run.png", pictures / "run.png")
        environment = os.environ | {"CIPHERMARK_URL": served.url, "CIPHERMARK_TOKEN": token}
        command = ["sphinx", "-W", "--keep-going", "-q", "-E", "-c", str(ROOT / "scripts/site"), "-b", "html"]
        made = subprocess.run(
            [sys.executable, "-m", *command, str(SOURCE), str(SITE)], env=environment, cwd=ROOT, check=False
        )
    (SITE / "index.html").write_text(_FRONT + "\n", encoding="utf-8")
    print(
        f"The site is in {(SITE / 'index.html').relative_to(ROOT)}." if not made.returncode else "The site has errors."
    )
    return made.returncode


if __name__ == "__main__":
    sys.exit(main())
