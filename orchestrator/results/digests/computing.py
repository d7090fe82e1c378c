"""Digests that the service's own runners compute: in the background, at low priority, a few at a time."""

import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import structlog

from corpus.catalogue import chunk_store
from orchestrator.compilation.reference.own_runners import CannotCompute, OwnRunners
from orchestrator.database.engine import Database
from orchestrator.database.models import Case
from orchestrator.results.digests import repository
from orchestrator.shared.errors import ChunkDamaged, NotFound
from orchestrator.shared.settings import ServiceSettings
from orchestrator.wire.messages import encryption_of

BATCH = 16
"""Digests in one batch, whose results are stored together."""
BATCH_SECONDS = 5.0
"""Time after which a batch ends early, so that its results are used soon."""
SEARCH_SECONDS = 10.0
"""Interval of the searches for new runners in the cache folder."""

_log = structlog.get_logger(__name__)


_Requested = Mapping[tuple[str, str], Case | None]
"""Algorithm and SHA-256 of each input to encrypt → a case with its message; a chunk has none."""
_Computed = Mapping[tuple[str, str], Mapping[str, str]]
"""The same pairs → what is stored: the digest with the program that computed it, or the reason why there is none."""


class DigestComputer:
    """Computes requested digests with the runners on the machine of the service. Its methods belong to one thread."""

    def __init__(self, database: Database, settings: ServiceSettings) -> None:
        """Use the builds in the cache folder; nothing is executed yet."""
        self._database = database
        self._settings = settings
        self._runners = OwnRunners()
        self._searched_at: float | None = None
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="digests")
        self._batch: Future[_Computed] | None = None
        self._ended = False

    @property
    def runners_key(self) -> str:
        """Key of the runners in use; empty without any."""
        return self._runners.key

    @property
    def is_computing(self) -> bool:
        """Return whether a batch is being computed, or waits to be stored."""
        return self._batch is not None

    def step(self) -> None:
        """Store the results of a finished batch, and start the next one."""
        if self._batch is not None:
            if not self._batch.done():
                return
            batch, self._batch = self._batch, None
            self._store(batch.result())
        self._search()
        requested = self._requested()
        if not requested:
            return
        if self._runners.key:
            self._batch = self._worker.submit(self._compute, self._runners, requested)
        else:
            self._store(self._compute(self._runners, requested))

    def close(self) -> None:
        """End after the digest that is being computed; the others stay requested."""
        self._ended = True
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _search(self) -> None:
        """Find the runners; a daemon on this machine may have built some since the last search."""
        if self._searched_at is not None and time.monotonic() - self._searched_at < SEARCH_SECONDS:
            return
        found = OwnRunners.find(self._settings.cache_folder)
        if found.key != self._runners.key:
            _log.info("runners of the service", build_key=found.key, implementations=len(found.implementations))
            self._runners = found
        self._searched_at = time.monotonic()

    def _requested(self) -> _Requested:
        with self._database.read() as session:
            rows = repository.list_requested(session, self._runners.key, BATCH)
            pairs = [(row.algorithm, row.input_sha256) for row in rows]
            return {pair: repository.timed_case(session, *pair) for pair in pairs}

    def _compute(self, runners: OwnRunners, requested: _Requested) -> _Computed:
        end, computed = time.monotonic() + BATCH_SECONDS, dict[tuple[str, str], Mapping[str, str]]()
        for pair, message in requested.items():
            if self._ended or (computed and time.monotonic() > end):
                break
            try:
                program, digest = self._digest(runners, *pair, message)
                computed[pair] = {"output_sha256": digest, "computed_by": program}
            except (CannotCompute, ChunkDamaged, NotFound) as error:
                computed[pair] = {"reason": str(error), "runners_key": runners.key}
        return computed

    def _digest(self, runners: OwnRunners, algorithm: str, input_sha256: str, message: Case | None) -> tuple[str, str]:
        """Return the program that computes an output, and the digest."""
        one = runners.of(algorithm)
        if message is not None:
            return one.words, runners.output_sha256_of_message(one, _options(message))
        store = chunk_store(self._settings.corpus_folder)
        with store.open_verified(input_sha256) as file:
            path, length_bytes = store.path(input_sha256), file.seek(0, 2)
        return one.words, runners.output_sha256_of_file(one, path, length_bytes)

    def _store(self, computed: _Computed) -> None:
        with self._database.write() as session:
            for pair, values in computed.items():
                repository.store_service_digest(session, pair, **values)
            # An agreement of agents, or a dispute between them, is judged again with the service's own digest.
            repository.add_pending(session, computed)


def _options(message: Case) -> list[str]:
    """Return the options of ``latency`` that describe a timed message."""
    lengths = ["--length", str(message.message_bytes), "--ad-length", str(message.associated_data_bytes)]
    # The ciphertext that a decryption takes is that of an encryption.
    fills = ["--fill", message.fill or "counter", "--key-fill", message.key_fill or "counter"]
    return [*encryption_of(message.operation).options, *lengths, *fills]
