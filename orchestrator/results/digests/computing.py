"""Digests that the service's own runners compute: in the background, at low priority, a few at a time."""

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

import structlog

from corpus.catalogue import chunk_store
from orchestrator.compilation.reference.own_runners import CannotCompute, OwnRunners
from orchestrator.database.engine import Database
from orchestrator.results.digests import repository
from orchestrator.results.digests.repository import TimedMessage
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


@dataclass(frozen=True)
class _Requested:
    """An input to encrypt; a chunk has no message."""

    algorithm: str
    input_sha256: str
    message: TimedMessage | None


@dataclass(frozen=True)
class _Computed:
    """The digest of an input, or why there is none."""

    requested: _Requested
    digest: str | None
    words: str
    """The program, or the reason."""


class DigestComputer:
    """Computes requested digests with the runners on the machine of the service. Its methods belong to one thread."""

    def __init__(self, database: Database, settings: ServiceSettings) -> None:
        """Use the builds in the cache folder; nothing is executed yet."""
        self._database = database
        self._settings = settings
        self._runners = OwnRunners()
        self._searched_at: float | None = None
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="digests")
        self._batch: Future[list[_Computed]] | None = None
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
            self._store([_computed(self._runners, one, self._settings) for one in requested])

    def close(self) -> None:
        """End after the digest that is being computed; the others stay requested."""
        self._ended = True
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _search(self) -> None:
        """Find the runners; a daemon on this machine may have built some since the last search."""
        if self._searched_at is not None and time.monotonic() - self._searched_at < SEARCH_SECONDS:
            return
        if self._searched_at is None:
            with self._database.write() as session:
                repository.request_unvouched(session)
        found = OwnRunners.find(self._settings.cache_folder)
        if found.key != self._runners.key:
            _log.info("runners of the service", build_key=found.key, implementations=len(found.implementations))
            self._runners = found
        self._searched_at = time.monotonic()

    def _requested(self) -> list[_Requested]:
        with self._database.read() as session:
            rows = repository.list_requested(session, self._runners.key, BATCH)
            return [
                _Requested(
                    row.algorithm,
                    row.input_sha256,
                    repository.timed_message(session, row.algorithm, row.input_sha256),
                )
                for row in rows
            ]

    def _compute(self, runners: OwnRunners, requested: Sequence[_Requested]) -> list[_Computed]:
        end, computed = time.monotonic() + BATCH_SECONDS, list[_Computed]()
        for one in requested:
            if self._ended or (computed and time.monotonic() > end):
                break
            computed.append(_computed(runners, one, self._settings))
        return computed

    def _store(self, computed: Sequence[_Computed]) -> None:
        key = self._runners.key
        with self._database.write() as session:
            for one in computed:
                pair = (one.requested.algorithm, one.requested.input_sha256)
                if one.digest is not None:
                    values = {"output_sha256": one.digest, "computed_by": one.words}
                else:
                    values = {"reason": one.words, "runners_key": key}
                repository.store_service_digest(session, pair, **values)
            # An agreement of agents, or a dispute between them, is judged again with the service's own digest.
            repository.add_pending(session, [(one.requested.algorithm, one.requested.input_sha256) for one in computed])


def _computed(runners: OwnRunners, requested: _Requested, settings: ServiceSettings) -> _Computed:
    try:
        one = runners.of(requested.algorithm)
        if requested.message is not None:
            options = _options(requested.message)
            return _Computed(requested, runners.output_sha256_of_message(one, options), one.words)
        store = chunk_store(settings.corpus_folder)
        with store.open_verified(requested.input_sha256) as file:
            path, length_bytes = store.path(requested.input_sha256), file.seek(0, 2)
        return _Computed(requested, runners.output_sha256_of_file(one, path, length_bytes), one.words)
    except (CannotCompute, ChunkDamaged, NotFound) as error:
        return _Computed(requested, None, str(error))


def _options(message: TimedMessage) -> list[str]:
    """Return the options of ``latency`` that describe a timed message."""
    lengths = ["--length", str(message.message_bytes), "--ad-length", str(message.associated_data_bytes)]
    # The ciphertext that a decryption takes is that of an encryption.
    fills = ["--fill", message.fill or "counter", "--key-fill", message.key_fill or "counter"]
    return [*encryption_of(message.operation).options, *lengths, *fills]
