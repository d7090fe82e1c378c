"""Every setting, from the environment: ``CIPHERMARK_*``. docs/settings.md lists them; a test holds both together.

A wrong value stops the start with a message that names the variable.
"""

from pathlib import Path
from typing import Literal

from platformdirs import user_cache_path, user_data_path
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from orchestrator.units import MIB


def _data_folder() -> Path:
    return user_data_path("ciphermark")


def _cache_folder() -> Path:
    return user_cache_path("ciphermark")


class CommonSettings(BaseSettings):
    """What every program reads."""

    model_config = SettingsConfigDict(env_prefix="CIPHERMARK_", extra="ignore", frozen=True)

    data_folder: Path = Field(default_factory=_data_folder)
    """Database, corpus, tokens, private Redis; of a daemon: identity, journal, spool, chunk cache."""
    cache_folder: Path = Field(default_factory=_cache_folder)
    """Builds of the runners; safe to delete."""
    build_cache_mib: int = Field(default=1024, ge=1)
    """Limit of all builds together; beyond it the least recently used go, but none that an unfinished run needs."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @field_validator("data_folder", "cache_folder")
    @classmethod
    def _absolute(cls, folder: Path) -> Path:
        return folder.expanduser().absolute()

    @property
    def build_cache_bytes(self) -> int:
        """The limit of the builds in bytes."""
        return self.build_cache_mib * MIB


class ServiceSettings(CommonSettings):
    """Of the service and the scheduler."""

    host: str = "127.0.0.1"
    """Address to listen on; anything but loopback needs tokens and TLS or ``insecure_lan``."""
    port: int = Field(default=8451, ge=0, le=65535)
    """0 takes any free port."""
    public_url: str | None = None
    """The service's address as others see it; derived from host and port where unset."""
    database_url: str | None = None
    """SQLAlchemy URL; default ``<data_folder>/ciphermark.sqlite``."""
    redis_url: SecretStr = SecretStr("redis://127.0.0.1:6379/0")
    """Redis with the admin user's credentials; the service and the scheduler alone know it."""
    agent_broker_url: str | None = None
    """Redis as agents reach it, without credentials; default: the admin's address without its credentials."""
    insecure_lan: bool = False
    """Allows plain HTTP and plain Redis beyond loopback."""
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    max_executions: int = Field(default=1_000_000, ge=1)
    """A plan with more is refused."""
    max_plan_bytes: int = Field(default=1_048_576, ge=1024)
    """A larger plan document is refused unread."""
    job_seconds: float = Field(default=15.0, gt=0)
    """Intended length of a job by the planner's estimate."""
    dispatch_window: int = Field(default=2, ge=1, le=100)
    """Jobs of one agent that are in the queue or in work at a time."""
    tick_seconds: float = Field(default=0.5, gt=0)
    """Interval of the scheduler."""
    idle_resend_seconds: float = Field(default=4.0, gt=0)
    """A sent job that a live, idle agent has not taken after this long is sent again."""
    max_attempts: int = Field(default=3, ge=1)
    """Starts of a job that ended in a crash of the daemon, before the job is lost."""
    token_seconds: int = Field(default=3600, ge=60)
    """Life of a join token."""
    health_check_hours: float = Field(default=4.0, gt=0)
    """An agent whose last check is older is asked for another, between its jobs; a quarantined one each 10 minutes."""
    degraded_drift: float = Field(default=0.05, gt=0)
    """A control workload or noise floor that is off by more than this share makes an agent degraded."""
    quarantine_drift: float = Field(default=0.25, gt=0)
    """A control workload that is off by more than this share takes an agent out of service."""
    approve_agents: bool = False
    """A newly enrolled agent gets no jobs until an admin approves it; otherwise its join token is enough."""

    @property
    def resolved_database_url(self) -> str:
        """The database's URL, the default filled in."""
        return self.database_url or f"sqlite:///{self.data_folder / 'ciphermark.sqlite'}"

    @property
    def corpus_folder(self) -> Path:
        """Where the built chunks and their manifest live."""
        return self.data_folder / "corpus"


class DaemonSettings(CommonSettings):
    """Of the daemon on a device. Its data folder holds its identity: a copy of it is refused while the first lives."""

    measured_core: int | None = Field(default=None, ge=0)
    """The core that runners are pinned to; default: the highest-numbered one online."""
    runners_folder: Path | None = None
    """Ready-made runners to use instead of building them (cross-compiled, packaged, or a test build)."""
    sampling_interval_ms: int = Field(default=10, ge=1, le=1000)
    """Of the fine curve."""
    psutil_interval_ms: int = Field(default=100, ge=10, le=10_000)
    sensor_interval_seconds: float = Field(default=10.0, ge=1, le=3600)
    """Of the agent's own time line of temperatures, frequencies and power."""
    meter_command: str | None = None
    """A meter of your own: a program, with arguments, that prints one JSON line a reading (docs/measurement.md)."""
    service_timeout_seconds: float = Field(default=10.0, gt=0)
    """Of one request to the service."""
    spool_records: int = Field(default=200, ge=1, le=1000)
    """Records sent in one request at most."""
