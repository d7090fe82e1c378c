"""Bundles: exported over HTTP and by the command, verified elsewhere, and refused when anything was changed."""

import gzip
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from sqlalchemy import select

from orchestrator.cli.exit_codes import ExitCode
from orchestrator.database.migrate import config_for
from orchestrator.database.models import Agent, Execution, now
from orchestrator.papers.bundle import archive, repository
from orchestrator.papers.bundle.making import make_bundle
from orchestrator.papers.bundle.opening import opened
from orchestrator.papers.bundle.signing import sign_bundle
from orchestrator.papers.bundle.verifying import BundleVerification, verified
from orchestrator.results.freshness.repository import count_changes
from orchestrator.shared.errors import BundleDamaged, InvalidRequest
from tests.support.commands import executed
from tests.support.live_service import Served
from tests.support.masked_results import Shape, fill_masked
from tests.support.seldom import seldom

MASKED = Shape(agents=("x86",))
PAPER = "masked-lwc"
BYTES_CHANGED = 400
OLDER = "0020"
"""A revision without some of today's columns."""
OF_CIPHERS = (
    "ciphertext_sha256", "key_setup_wall_ns", "encrypt_wall_ns", "decrypt_wall_ns", "median_encrypt_bytes_per_second",
    "low_encrypt_bytes_per_second", "high_encrypt_bytes_per_second", "median_decrypt_bytes_per_second",
)  # fmt: skip
"""Columns of earlier schemas whose values have another place now."""


@pytest.fixture(scope="module")
def served(served: Served) -> Served:
    fill_masked(served.database, MASKED)
    return served


@pytest.fixture(scope="module")
def bundle(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bundle") / "bundle.zip"
    answer = served.viewer.get(f"/api/v1/papers/{PAPER}/bundle", params={"run": MASKED.run_id})
    assert answer.status_code == 200, answer.text
    path.write_bytes(answer.content)
    return path


def changed(bundle: Path, folder: Path, change: Callable[[Path], None]) -> Path:
    """Return a bundle whose files were changed, with new sums."""
    contents = folder / "contents"
    contents.mkdir()
    archive.unpack(bundle, contents)
    change(contents)
    archive.list_sums(contents)
    archive.pack(contents, folder / "changed.zip")
    return folder / "changed.zip"


def as_of_older(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the columns of ciphers that earlier schemas had; the run of the bundle has calls only."""
    assert not row.get("phase_wall_ns")
    assert not row.get("phases")
    return dict.fromkeys(OF_CIPHERS) | {"ciphertext_sha256": row.get("output_sha256")} | row


def rows(contents: Path, table: str) -> list[Any]:
    return [
        json.loads(line) for line in gzip.decompress((contents / f"tables/{table}.jsonl.gz").read_bytes()).splitlines()
    ]


def write_rows(contents: Path, table: str, lines: list[Any]) -> None:
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (contents / f"tables/{table}.jsonl.gz").write_bytes(gzip.compress(text.encode()))


def command_line(served: Served, *arguments: str) -> subprocess.CompletedProcess[str]:
    token = served.client("viewer").headers["authorization"].removeprefix("Bearer ")
    environment = os.environ | {"CIPHERMARK_URL": served.url, "CIPHERMARK_TOKEN": token}
    return executed(environment, *arguments)


def describe(**values: Any) -> Callable[[Path], None]:
    """Return a change of bundle.json."""

    def change(contents: Path) -> None:
        path = contents / "bundle.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | values))

    return change


def verify_bundle(path: Path, signers: Path | None = None) -> BundleVerification:
    with opened(path, signers) as bundle:
        return verified(bundle)


class TestVerification:
    def test_verdicts_are_computed_again_without_the_service(self, served: Served, bundle: Path) -> None:
        verdicts = served.viewer.get(f"/api/v1/papers/{PAPER}/verdicts", params={"run": MASKED.run_id}).json()

        found = verify_bundle(bundle)

        assert found.verdicts.model_dump(mode="json") == verdicts
        assert (found.differences, found.agreement) == ([], "all equal")
        assert found.signature is None
        assert {one.verdict for one in found.verdicts.agents[0].claims} > {"not reproduced here"}

    @pytest.mark.long
    def test_wrong_executions_are_counted_in_a_bundle(self, served: Served, tmp_path: Path) -> None:
        """Regression: a bundle has no statistics of cases, so that its verdicts counted no wrong execution."""
        with served.database.write() as session:
            one = session.query(Execution).filter_by(run_id=MASKED.run_id, state="ok").first()
            execution_id, case_id = one.id, one.case_id
            one.state = "wrong"
            count_changes(session, Counter([case_id]), now())
        try:
            make_bundle(served.database, PAPER, MASKED.run_id, tmp_path / "bundle.zip")
            found = verify_bundle(tmp_path / "bundle.zip")
        finally:
            with served.database.write() as session:
                session.get_one(Execution, execution_id).state = "ok"
                count_changes(session, Counter([case_id]), now())

        assert found.verdicts.agents[0].wrong == 1
        assert found.differences == []

    @pytest.mark.long
    def test_any_changed_byte_is_found(self, bundle: Path, tmp_path: Path) -> None:
        content = bundle.read_bytes()
        draw = random.Random(1)
        ends = [*range(60), *range(len(content) - 200, len(content))]
        for place in (*ends, *(draw.randrange(len(content)) for _ in range(BYTES_CHANGED))):
            other = bytearray(content)
            other[place] ^= 1 << draw.randrange(8)
            path = tmp_path / "other.zip"
            path.write_bytes(other)
            folder = tmp_path / "contents"
            folder.mkdir()
            with pytest.raises(BundleDamaged):
                archive.unpack(path, folder)
            shutil.rmtree(folder)

    def test_falsified_reading_changes_a_verdict(self, bundle: Path, tmp_path: Path) -> None:
        """With new sums, the stored verdicts no longer follow from the readings."""

        def falsify(contents: Path) -> None:
            columns, *lines = rows(contents, "executions")
            place = columns.index("call_wall_ns")
            for line in lines[::3]:
                line[place] = line[place] and line[place] * 2
            write_rows(contents, "executions", [columns, *lines])

        differences = verify_bundle(changed(bundle, tmp_path, falsify)).differences
        assert differences
        assert all("in the bundle" in line for line in differences)

    def test_other_words_of_a_later_version_are_no_other_verdict(self, bundle: Path, tmp_path: Path) -> None:
        def reword(contents: Path) -> None:
            path = contents / "verdicts.json"
            path.write_text(path.read_text().replace("not measured", "without a measurement"))

        assert verify_bundle(changed(bundle, tmp_path, reword)).agreement == "all equal"

    def test_times_that_no_machine_reaches_are_named(self, bundle: Path, tmp_path: Path) -> None:
        """Regression: a bundle with false times and verdicts made again was verified, even 283 TB/s (S109)."""

        def shorten(contents: Path) -> None:
            columns, *lines = rows(contents, "executions")
            for line in lines:
                line[columns.index("process_wall_ns")] = 500
            write_rows(contents, "executions", [columns, *lines])

        assert verify_bundle(bundle).impossible == []
        found = verify_bundle(changed(bundle, tmp_path, shorten))
        assert len(found.impossible) > 10
        assert "repetition 1: " in found.impossible[0]
        assert found.proof == "Unsigned: this proves nothing about who measured, or whether anything was measured."

    @pytest.mark.parametrize("content", [b"", b"Name,Value\n", b"PK\x05\x06" + bytes(18)])
    def test_file_that_is_no_bundle_is_refused(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "file.zip"
        path.write_bytes(content)
        with pytest.raises(BundleDamaged):
            verify_bundle(path)

    @pytest.mark.parametrize("name", ["../outside", "/outside", "a/../../outside", "tables/../x"])
    def test_name_outside_the_folder_is_refused(self, tmp_path: Path, name: str) -> None:
        with zipfile.ZipFile(tmp_path / "odd.zip", "w") as odd:
            odd.writestr(name, "text")
        with pytest.raises(BundleDamaged, match="no bundle contains"):
            verify_bundle(tmp_path / "odd.zip")
        assert not list(tmp_path.parent.glob("outside"))

    def test_run_whose_id_is_a_path_is_refused(self, bundle: Path, tmp_path: Path) -> None:
        """Its page is named by it."""
        with pytest.raises(BundleDamaged, match="run_id"):
            verify_bundle(changed(bundle, tmp_path, describe(run_id="../../outside")))

    @pytest.mark.parametrize(
        "values", [{"revision": "9999", "ciphermark": "7.1.0"}, {"format": 3, "ciphermark": "7.1.0"}]
    )
    def test_newer_version_is_refused_with_its_name(self, bundle: Path, tmp_path: Path, values: Any) -> None:
        with pytest.raises(InvalidRequest) as refused:
            verify_bundle(changed(bundle, tmp_path, describe(**values)))
        assert "7.1.0" in refused.value.remedy

    @pytest.mark.long
    def test_bundle_of_an_older_schema_is_upgraded(self, bundle: Path, tmp_path: Path) -> None:
        command.upgrade(config_for(f"sqlite:///{tmp_path / 'older.sqlite'}"), OLDER)

        def age(contents: Path) -> None:
            describe(revision=OLDER)(contents)
            with closing(sqlite3.connect(tmp_path / "older.sqlite")) as older:
                for table in (path.name.removesuffix(".jsonl.gz") for path in contents.glob("tables/*")):
                    known = [row[1] for row in older.execute(f"PRAGMA table_info({table})")]
                    columns, *lines = rows(contents, table)
                    kept = [column for column in known if column in columns or column in OF_CIPHERS]
                    former = [as_of_older(dict(zip(columns, line, strict=True))) for line in lines]
                    write_rows(contents, table, [kept, *([row[column] for column in kept] for row in former)])

        found = verify_bundle(changed(bundle, tmp_path, age))
        assert found.description.revision == OLDER
        assert found.differences == []

    @pytest.mark.long
    def test_verdicts_by_rules_of_an_older_format_are_computed_again_and_not_compared(
        self, bundle: Path, tmp_path: Path
    ) -> None:
        """Such a bundle has `holds` and `refuted`, and a verdict at lengths that the publication does not have."""

        def age(contents: Path) -> None:
            describe(format=1)(contents)
            path = contents / "verdicts.json"
            path.write_text(path.read_text().replace("not reproduced here", "refuted"))

        found = verify_bundle(changed(bundle, tmp_path, age))
        assert found.description.format == 1
        assert found.differences == []
        # Regression: only the table of the command reported it; --json had no differences, as if all were equal.
        assert found.agreement == "verdicts of format 1 were computed by other rules and are not compared"
        assert "not reproduced here" in {one.verdict for one in found.verdicts.agents[0].claims}

    def test_table_that_is_too_large_is_refused(self, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(repository, "MAX_TABLE_BYTES", 1000)
        with pytest.raises(BundleDamaged, match="more than 1000 bytes"):
            verify_bundle(bundle)

    @pytest.mark.parametrize("name", ["verdicts.json", *seldom("bundle.json", "tables/runs.jsonl.gz")])
    @pytest.mark.parametrize("text", ["[" * 200_000, f"[{2**70}]", '{"agents": [1]}'], ids=["deep", "long", "other"])
    def test_document_that_no_export_wrote_is_refused(self, bundle: Path, tmp_path: Path, name: str, text: str) -> None:
        """Regression: nesting and long integers ended in a traceback (S117)."""

        def spoil(contents: Path) -> None:
            packed = name.endswith(".gz")
            (contents / name).write_bytes(gzip.compress(text.encode()) if packed else text.encode())

        with pytest.raises(BundleDamaged, match="cannot be read"):
            verify_bundle(changed(bundle, tmp_path, spoil))

    def test_integer_that_no_column_has_is_refused(self, bundle: Path, tmp_path: Path) -> None:
        def lengthen(contents: Path) -> None:
            columns, *found = rows(contents, "executions")
            found[0][columns.index("work_wall_ns")] = 2**70
            write_rows(contents, "executions", [columns, *found])

        with pytest.raises(BundleDamaged, match="cannot be read"):
            verify_bundle(changed(bundle, tmp_path, lengthen))

    def test_unknown_table_and_missing_row_are_refused(self, bundle: Path, tmp_path: Path) -> None:
        def add_table(contents: Path) -> None:
            write_rows(contents, "sqlite_master", [["name"]])

        def remove_cases(contents: Path) -> None:
            write_rows(contents, "cases", rows(contents, "cases")[:1])

        for number, (change, message) in enumerate([(add_table, "sqlite_master"), (remove_cases, "refers to a row")]):
            folder = tmp_path / str(number)
            folder.mkdir()
            with pytest.raises(BundleDamaged, match=message):
                verify_bundle(changed(bundle, folder, change))


class TestContents:
    @pytest.mark.long
    def test_page_of_the_paper_links_the_bundle(self, served: Served, bundle: Path) -> None:
        page = served.viewer.get(f"/papers/{PAPER}?run={MASKED.run_id}", headers={"accept": "text/html"}).text
        (address,) = re.findall(r'href="(/api/v1/papers/[^"]*/bundle[^"]*)"', page)
        answer = served.viewer.get(unescape(address))

        assert answer.headers["content-type"] == "application/zip"
        (downloaded := bundle.with_name("downloaded.zip")).write_bytes(answer.content)
        assert verify_bundle(downloaded).verdicts == verify_bundle(bundle).verdicts

    def test_nothing_secret_is_in_a_bundle(self, served: Served, bundle: Path, tmp_path: Path) -> None:
        archive.unpack(bundle, tmp_path)
        columns, *lines = rows(tmp_path, "agents")
        with served.database.read() as session:
            hashes = set(session.scalars(select(Agent.broker_password_hash)))

        assert {line[columns.index("broker_password_hash")] for line in lines} == {""}
        assert not [text for text in hashes if text and text.encode() in bundle.read_bytes()]
        assert not {"api_tokens", "web_sessions", "claims"} & {path.name[:-9] for path in tmp_path.glob("tables/*")}

    def test_metadata_names_every_file(self, bundle: Path, tmp_path: Path) -> None:
        archive.unpack(bundle, tmp_path)
        graph = {one["@id"]: one for one in json.loads((tmp_path / "ro-crate-metadata.json").read_text())["@graph"]}
        files = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}

        listed = {one["@id"] for one in graph["./"]["hasPart"]}
        assert listed == files - {"ro-crate-metadata.json", "SHA256SUMS"}
        assert graph["#publication"]["name"]
        assert int(graph["verdicts.json"]["contentSize"]) == (tmp_path / "verdicts.json").stat().st_size


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
class TestSignature:
    @pytest.fixture
    def key(self, tmp_path: Path) -> Path:
        path = tmp_path / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path], check=True)
        return path

    @pytest.fixture
    def signed(self, bundle: Path, key: Path, tmp_path: Path) -> Path:
        path = tmp_path / "signed.zip"
        shutil.copyfile(bundle, path)
        sign_bundle(path, key)
        return path

    def test_signer_is_named(self, signed: Path, key: Path, tmp_path: Path) -> None:
        signers = tmp_path / "signers"
        signers.write_text("ada@example.org " + key.with_suffix(".pub").read_text())

        signature = verify_bundle(signed, signers).signature
        assert signature is not None
        assert signature.signer == "ada@example.org"
        assert signature.key.startswith("SHA256:")

    def test_signature_of_a_changed_bundle_and_unknown_signers_are_refused(
        self, signed: Path, bundle: Path, tmp_path: Path
    ) -> None:
        no_signers = tmp_path / "signers"
        no_signers.write_text("")
        with pytest.raises(BundleDamaged, match="allowed signers"):
            verify_bundle(signed, no_signers)
        with pytest.raises(BundleDamaged, match="no signature"):
            verify_bundle(bundle, no_signers)
        # Regression: the key "is not among the allowed signers" of a file that does not exist.
        with pytest.raises(InvalidRequest, match="is not a file of allowed signers"):
            verify_bundle(signed, tmp_path / "mistyped")
        with pytest.raises(BundleDamaged, match="signature"):
            verify_bundle(changed(signed, tmp_path, lambda contents: (contents / "report.md").write_text("better")))

    @pytest.mark.long
    def test_commands_export_sign_and_verify(self, served: Served, key: Path, tmp_path: Path) -> None:
        path = tmp_path / "own.zip"
        done = command_line(served, "papers", "export", PAPER, MASKED.run_id, "--output", str(path), "--sign", str(key))
        assert done.returncode == 0, done.stderr

        done = command_line(served, "papers", "verify", str(path))
        assert done.returncode == ExitCode.UNVOUCHED, done.stderr
        assert "whose owner was not checked" in done.stdout.splitlines()[0]
        signers = tmp_path / "signers"
        signers.write_text("ada@example.org " + key.with_suffix(".pub").read_text())
        done = command_line(served, "papers", "verify", str(path), "--signers", str(signers), "--json")
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["signature"]["key"].startswith("SHA256:")
        assert found["proof"] == "Signed by ada@example.org: the readings are the word of this signer."

        path.write_bytes(path.read_bytes().replace(b"encrypt", b"decrypt", 1))
        done = command_line(served, "papers", "verify", str(path))
        assert (done.returncode, done.stdout) == (11, "")
        assert "own.zip is no whole ZIP archive" in done.stderr

    def test_key_that_is_none_is_refused(self, bundle: Path, tmp_path: Path) -> None:
        with pytest.raises(InvalidRequest, match="signed"):
            sign_bundle(shutil.copyfile(bundle, tmp_path / "copy.zip"), tmp_path / "no-key")
