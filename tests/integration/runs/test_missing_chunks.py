"""Chunks that the corpus lacks: previewed, made by the service's own process, awaited by runs, or refused."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import corpus
from orchestrator.database.models import ChunkRequest
from orchestrator.runs.chunks.making import ChunkMaker
from orchestrator.shared.units import GIB, KIB, MIB
from tests.support.fleet import Fleet, plan
from tests.support.processes import below
from tests.support.waiting import until


def needs(kinds: list[str], *sizes: str | int, **given: Any) -> dict[str, Any]:
    """Return a plan of one implementation that needs these chunks."""
    matrix = {"providers": ["botan"], "algorithms": ["aes-192-cbc"], "inputs": {"kinds": kinds, "sizes": list(sizes)}}
    return plan(matrix=[matrix], **given)


@pytest.fixture
def new_maker(fleet: Fleet) -> Iterator[Callable[[], ChunkMaker]]:
    """Return a function that creates the chunk maker of a scheduler."""
    created = []

    def create() -> ChunkMaker:
        created.append(ChunkMaker(fleet.database, fleet.served.settings.corpus_folder))
        return created[-1]

    yield create
    for maker in created:
        maker.close()


def requests(fleet: Fleet) -> dict[tuple[str, int], ChunkRequest]:
    with fleet.database.read() as session:
        return {(one.kind, one.length_bytes): one for one in session.query(ChunkRequest).all()}


def states(fleet: Fleet) -> dict[tuple[str, int], str]:
    return {key: request.state for key, request in requests(fleet).items()}


def settle_all(fleet: Fleet, *makers: ChunkMaker) -> None:
    """Let the makers step, as ticks do, until no request is open."""

    def stepped() -> bool:
        for maker in makers:
            maker.step()
        return "open" not in states(fleet).values()

    until(stepped, "the end of the making")


def entries(fleet: Fleet, length_bytes: int) -> list[corpus.ChunkEntry]:
    listed = corpus.list_entries(fleet.served.settings.corpus_folder)
    return [entry for entry in listed if entry.length_bytes == length_bytes]


def making_processes() -> list[psutil.Process]:
    return list(below("corpus.making"))


def submission(fleet: Fleet, document: dict[str, Any]) -> Any:
    return fleet.submitter.post("/api/v1/runs", json={"plan": document})


class TestMaking:
    def test_run_waits_for_its_chunks_and_then_starts(
        self, fleet: Fleet, new_maker: Callable[[], ChunkMaker], tmp_path: Path
    ) -> None:
        run_id = submission(fleet, needs(["text", "random"], "3 KiB", "5 KiB")).json()["id"]
        run = fleet.run(run_id)
        assert run["state"] == "planned"
        assert [(one["kind"], one["chunks"], one["longest_bytes"]) for one in run["waiting_for_chunks"]] == [
            ("random", 2, 5 * KIB), ("text", 2, 5 * KIB),
        ]  # fmt: skip
        assert fleet.lay_out_next() is False

        settle_all(fleet, new_maker())

        assert fleet.run(run_id)["waiting_for_chunks"] == []
        assert fleet.lay_out_next()
        assert fleet.run(run_id)["state"] == "running"
        # The bytes are those that the command makes from the same packages.
        by_hand = corpus.build(tmp_path / "by-hand", [3 * KIB], ["text"], download=False)
        assert [entry.sha256 for entry in entries(fleet, 3 * KIB) if entry.kind == "text"] == [by_hand[0].sha256]

    def test_progress_is_visible_and_the_page_shows_it(self, fleet: Fleet, new_maker: Callable[[], ChunkMaker]) -> None:
        run_id = submission(fleet, needs(["video"], "32 MiB")).json()["id"]
        maker = new_maker()

        def advanced() -> dict[str, Any] | None:
            maker.step()
            (awaited,) = fleet.run(run_id)["waiting_for_chunks"]
            return awaited if awaited["done_bytes"] else None

        awaited = until(advanced, "progress")
        assert awaited["started_at"] is not None
        assert 0 < awaited["done_bytes"] <= 32 * MIB
        shown = fleet.submitter.get(f"/runs/{run_id}", headers={"Accept": "text/html"}).text
        assert "waiting for chunks" in shown
        assert re.search(r"video 32 MiB\s+\(", shown)

    @pytest.mark.long
    def test_chunk_of_two_runs_is_made_once(self, fleet: Fleet, new_maker: Callable[[], ChunkMaker]) -> None:
        first = submission(fleet, needs(["random"], "3 KiB")).json()["id"]
        second = submission(fleet, needs(["random"], "3 KiB", "4 KiB")).json()["id"]
        assert sorted(states(fleet)) == [("random", 3 * KIB), ("random", 4 * KIB)]
        # Two schedulers on one data folder.
        settle_all(fleet, new_maker(), new_maker())
        assert len(entries(fleet, 3 * KIB)) == 1
        while fleet.lay_out_next():
            pass
        assert [fleet.run(run_id)["state"] for run_id in (first, second)] == ["running", "running"]

    @pytest.mark.long
    def test_run_of_higher_priority_gets_its_chunks_first(
        self, fleet: Fleet, new_maker: Callable[[], ChunkMaker]
    ) -> None:
        submission(fleet, needs(["random"], "3 KiB"))
        urgent = submission(fleet, needs(["text"], "3 KiB", priority=0)).json()["id"]
        maker = new_maker()

        def is_ready() -> bool:
            maker.step()
            return states(fleet)["text", 3 * KIB] == "ready"

        until(is_ready, "the urgent chunk")
        assert states(fleet)["random", 3 * KIB] == "open"
        assert fleet.lay_out_next()
        assert fleet.run(urgent)["state"] == "running"

    @pytest.mark.long
    def test_chunk_removed_after_the_submission_is_made_again(
        self, fleet: Fleet, new_maker: Callable[[], ChunkMaker]
    ) -> None:
        run_id = submission(fleet, needs(["text"], "3 KiB")).json()["id"]
        settle_all(fleet, new_maker())
        catalogue = corpus.Catalogue(fleet.served.settings.corpus_folder)
        catalogue.change(remove=entries(fleet, 3 * KIB))
        assert fleet.lay_out_next()
        assert fleet.run(run_id)["waiting_for_chunks"][0]["kind"] == "text"
        settle_all(fleet, new_maker())
        assert fleet.lay_out_next()
        assert fleet.run(run_id)["state"] == "running"


class TestInterruption:
    def started(self, fleet: Fleet, maker: ChunkMaker) -> str:
        """Submit a plan whose chunk takes long; return its run while the chunk is being made."""
        run_id = str(submission(fleet, needs(["video"], "256 MiB")).json()["id"])

        def advanced() -> bool:
            maker.step()
            return bool(requests(fleet)["video", 256 * MIB].done_bytes)

        until(advanced, "progress")
        return run_id

    @pytest.mark.long
    def test_cancelled_run_ends_the_making(self, fleet: Fleet, new_maker: Callable[[], ChunkMaker]) -> None:
        maker = new_maker()
        run_id = self.started(fleet, maker)
        (process,) = making_processes()
        fleet.change(run_id, "cancel")
        maker.step()
        assert not process.is_running()
        request = requests(fleet)["video", 256 * MIB]
        assert (request.state, request.done_bytes) == ("open", None)
        maker.step()
        assert making_processes() == []

    @pytest.mark.long
    def test_stopped_scheduler_leaves_its_requests_to_the_next_one(
        self, fleet: Fleet, new_maker: Callable[[], ChunkMaker]
    ) -> None:
        first, second = new_maker(), new_maker()
        self.started(fleet, first)
        first.close()
        assert making_processes() == []
        second.step()
        assert len(making_processes()) == 1

    @pytest.mark.long
    def test_killed_process_fails_the_run_and_a_new_submission_tries_again(
        self, fleet: Fleet, new_maker: Callable[[], ChunkMaker]
    ) -> None:
        maker = new_maker()
        run_id = self.started(fleet, maker)
        (process,) = making_processes()
        process.send_signal(signal.SIGKILL)
        settle_all(fleet, maker)
        assert fleet.lay_out_next()
        failed = fleet.run(run_id)
        assert failed["state"] == "failed"
        assert "1 chunk of video could not be made: the process ended with signal 9." in failed["reason"]
        again = submission(fleet, needs(["video"], "256 MiB")).json()
        assert (again["state"], states(fleet)["video", 256 * MIB]) == ("planned", "open")

    @pytest.mark.long
    def test_process_ends_when_its_scheduler_was_killed(self, tmp_path: Path) -> None:
        arguments = [sys.executable, "-m", "corpus.making", str(tmp_path), "video", str(256 * MIB)]
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert process.stdout is not None
        assert b"done_bytes" in process.stdout.readline()
        encoders = psutil.Process(process.pid).children(recursive=True)
        assert encoders
        process.stdout.close()  # as the kernel does when the reader dies
        process.wait(60)
        until(lambda: not any(encoder.is_running() for encoder in encoders), "the end of the encoder")


class TestObstacles:
    @pytest.fixture
    def without_programs(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
        folder = tmp_path / "bin"
        folder.mkdir()
        monkeypatch.setenv("PATH", str(folder))
        return folder

    def test_missing_packages_are_refused_with_one_command(self, fleet: Fleet, without_programs: Path) -> None:
        document = needs(["audio", "random", "text", "video"], "3 KiB", "4 KiB", "5 KiB")
        answer = submission(fleet, document)
        problem = answer.json()
        assert (answer.status_code, problem["type"].rpartition("/")[2]) == (422, "chunk-missing")
        assert "lacks 12 chunks of this plan" in problem["detail"]
        assert problem["remedy"].startswith(
            "On the machine of the service: Execute: apt-get install -y --no-install-recommends bible-kjv ffmpeg"
        )
        assert fleet.submitter.get("/api/v1/runs").json()["items"] == []
        assert requests(fleet) == {}

    def test_preview_reports_the_obstacle_and_the_remedy(self, fleet: Fleet, without_programs: Path) -> None:
        making = fleet.preview(needs(["text"], "3 KiB"))["chunk_estimate"]
        assert making["obstacle"] == "No material for text: the program `bible` is not installed."
        assert "bible-kjv" in making["remedy"]

    def test_random_chunks_need_no_package(self, fleet: Fleet, without_programs: Path) -> None:
        assert submission(fleet, needs(["random"], "3 KiB")).status_code == 201

    @pytest.mark.long
    def test_package_removed_after_the_submission_fails_the_run_with_the_reason(
        self, fleet: Fleet, new_maker: Callable[[], ChunkMaker], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        run_id = submission(fleet, needs(["text"], "3 KiB")).json()["id"]
        programs = os.environ["PATH"]
        monkeypatch.setenv("PATH", str(tmp_path))
        settle_all(fleet, new_maker())
        assert fleet.lay_out_next()
        failed = fleet.run(run_id)
        assert failed["state"] == "failed"
        assert "the program `bible` is not installed" in failed["reason"]
        assert "apt-get install -y --no-install-recommends bible-kjv" in failed["reason"]
        monkeypatch.setenv("PATH", programs)
        again = submission(fleet, needs(["text"], "3 KiB")).json()["id"]
        settle_all(fleet, new_maker())
        assert fleet.lay_out_next()
        assert fleet.run(again)["state"] == "running"

    def test_chunks_that_exceed_the_disk_are_refused(self, fleet: Fleet) -> None:
        # 2 kinds × 1000 lengths of nearly 1 GiB are 2 TiB.
        document = needs(["random", "text"], *range(GIB - 999, GIB + 1), repetitions=1)
        problem = submission(fleet, document).json()
        assert "free; the missing chunks need" in problem["detail"]
        assert requests(fleet) == {}


class TestPreview:
    def test_preview_has_bytes_and_assumed_duration(self, fleet: Fleet) -> None:
        shown = fleet.preview(needs(["text", "random"], "3 KiB", "1 MiB"))
        assert len(shown["missing_chunks"]) == 4
        assert all(one["remedy"].startswith("ciphermark corpus build") for one in shown["missing_chunks"])
        making = shown["chunk_estimate"]
        assert (making["chunks"], making["total_bytes"], making["obstacle"]) == (4, 2 * (3 * KIB + MIB), None)
        assert making["estimated_seconds"] == pytest.approx(2 * 1.0 + 0.02 + 0.01)
        assert making["basis"].startswith("Assumed for text, random")
        assert requests(fleet) == {}

    def test_duration_is_estimated_from_earlier_chunks(self, fleet: Fleet, new_maker: Callable[[], ChunkMaker]) -> None:
        submission(fleet, needs(["random"], "1 MiB"))
        settle_all(fleet, new_maker())
        assert fleet.preview(needs(["random"], "2 MiB"))["chunk_estimate"]["basis"] == (
            "Chunks of the same kinds that this service made."
        )
