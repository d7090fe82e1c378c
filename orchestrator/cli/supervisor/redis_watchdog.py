"""The watchdog of the private Redis: pings it, and reports when it no longer answers.

A process that runs is not a process that answers: an endless script or a stopped process blocks every queue. Failed
pings are counted instead of time, so that a machine that slept, or a stopped supervisor, does not count as a fault.
"""

import threading

import redis

from orchestrator.queue.addresses import BrokerAddress

PING_SECONDS = 2.0
"""Timeout of one ping. Redis answers within milliseconds, also under load."""
INTERVAL_SECONDS = 1.0
UNANSWERED_PINGS = 5
"""Pings in a row without an answer after which Redis counts as stuck: 10 to 15 s."""


class RedisWatchdog:
    """Pings Redis from a thread, between `start` and `close`."""

    def __init__(
        self, address: BrokerAddress, ping_seconds: float = PING_SECONDS, interval_seconds: float = INTERVAL_SECONDS
    ) -> None:
        """Create the watchdog; nothing is sent yet."""
        self._client = redis.Redis.from_url(address.redis_url, socket_timeout=ping_seconds, retry=None)
        self._interval_seconds = interval_seconds
        self._unanswered = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="redis-watchdog", daemon=True)

    @property
    def is_stuck(self) -> bool:
        """True if the last `UNANSWERED_PINGS` pings had no answer."""
        return self._unanswered >= UNANSWERED_PINGS

    def reset(self) -> None:
        """Forget the unanswered pings, after Redis was killed."""
        self._unanswered = 0

    def _watch(self) -> None:
        while not self._ended.wait(self._interval_seconds):
            self._unanswered = self._unanswered + 1 if self._is_silent() else 0

    def _is_silent(self) -> bool:
        """Return whether a ping times out or Redis reports that a script does not end."""
        try:
            self._client.ping()
        except redis.TimeoutError:
            return True
        except redis.ResponseError as error:
            return str(error).startswith("BUSY")
        except (redis.RedisError, OSError):
            # Not running, which the supervisor sees itself, or still reading its file.
            return False
        return False

    def start(self) -> None:
        """Begin to ping."""
        self._thread.start()

    def close(self) -> None:
        """End the thread and close the connection."""
        self._ended.set()
        self._thread.join(timeout=PING_SECONDS + INTERVAL_SECONDS)
        self._client.close()
