"""Settings from the environment (``CIPHERMARK_*``): one class for each program; docs/settings.md lists them all.

A wrong value stops the start with a message that names the variable.
"""

from pathlib import Path
from typing import Literal

from platformdirs import user_cache_path, user_data_path
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from orchestrator.shared.units import MIB


class CommonSettings(BaseSettings):
    """Settings of every program. The docstring of a field is its description in docs/settings.md."""

    model_config = SettingsConfigDict(
        env_prefix="CIPHERMARK_", extra="ignore", frozen=True, use_attribute_docstrings=True
    )

    data_folder: Path = Field(default_factory=lambda: user_data_path("ciphermark"))
    """Database, corpus, tokens and private Redis of the service; identity, journal and chunk cache of a daemon."""
    cache_folder: Path = Field(default_factory=lambda: user_cache_path("ciphermark"))
    """Builds of the runners, wheels and the chart library, which are created again after they were deleted."""
    min_free_mib: int = Field(default=128, ge=0)
    """Free space on the disk of the data folder below which no new work begins: runs, claims and jobs wait for room."""
    build_cache_mib: int = Field(default=1024, ge=1)
    """Size of all builds together above which a daemon deletes the least recently used ones that no run needs."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """Lowest level of the log lines that are written to stderr."""

    @field_validator("data_folder", "cache_folder")
    @classmethod
    def _absolute(cls, folder: Path) -> Path:
        return folder.expanduser().absolute()

    @property
    def build_cache_bytes(self) -> int:
        """Maximum size of all builds together, bytes."""
        return self.build_cache_mib * MIB


class ServiceSettings(CommonSettings):
    """Settings of the service and the scheduler."""

    host: str = "127.0.0.1"
    """Address to listen on; any address except loopback requires TLS or `insecure_lan`."""
    port: int = Field(default=8451, ge=0, le=65535)
    """TCP port to listen on; 0 selects any free port."""
    public_url: str | None = None
    """URL under which users and agents reach the service; by default it is derived from host and port."""
    database_url: str | None = None
    """SQLAlchemy URL of the database; by default the SQLite file `ciphermark.sqlite` in the data folder."""
    redis_url: SecretStr = SecretStr("redis://127.0.0.1:6379/0")
    """URL of Redis with the admin user's credentials, which only the service and the scheduler receive."""
    agent_broker_url: str | None = None
    """URL of Redis as agents reach it, without credentials; by default the host and port of `redis_url`."""
    insecure_lan: bool = False
    """Permits plain HTTP and Redis beyond loopback; others on the network can read and change tokens and results."""
    tls_certificate: Path | None = None
    """PEM file with the service's certificate chain; requires `tls_key`."""
    tls_key: Path | None = None
    """PEM file with the private key of `tls_certificate`."""
    max_executions: int = Field(default=1_000_000, ge=1)
    """Maximum number of executions in one plan."""
    job_seconds: float = Field(default=15.0, gt=0)
    """Target duration of one job, by the planner's estimate."""
    quarantine_drift: float = Field(default=0.25, gt=0)
    """Relative change of the control workload above which an agent is quarantined; a fifth of it degrades it."""
    backup_folder: Path | None = None
    """Folder of the scheduled backups; by default `backups` in the data folder."""
    backup_hours: float = Field(default=24.0, ge=0)
    """Interval between two scheduled backups of a SQLite database; 0 makes none."""
    approve_agents: bool = False
    """Holds back the jobs of a newly enrolled agent until an admin approves it."""
    webhook_hosts: str | None = None
    """Hosts that webhooks may reach although their addresses are private, and by plain HTTP, separated by commas."""
    mail_url: SecretStr | None = None
    """Mail server for reports of watches: `smtp://USER:PASSWORD@HOST:587?from=ADDRESS` (or `smtps://`)."""

    @property
    def degraded_drift(self) -> float:
        """Relative change of the control workload, or noise floor, above which an agent becomes degraded."""
        return self.quarantine_drift / 5

    @property
    def resolved_url(self) -> str:
        """URL under which users reach the service, with the default filled in."""
        host = "127.0.0.1" if self.host in {"0.0.0.0", "::"} else self.host  # noqa: S104 - compared, not bound
        return self.url_at(host, self.port)

    def url_at(self, host: str, port: int) -> str:
        """Return the URL of the service at an address and port of this machine, unless another one is set."""
        bracketed = f"[{host}]" if ":" in host else host
        return self.public_url or f"{'https' if self.tls_certificate else 'http'}://{bracketed}:{port}"

    @property
    def resolved_database_url(self) -> str:
        """URL of the database, with the default filled in."""
        return self.database_url or f"sqlite:///{self.data_folder / 'ciphermark.sqlite'}"

    @property
    def resolved_backup_folder(self) -> Path:
        """Folder of the scheduled backups, with the default filled in."""
        return (self.backup_folder or self.data_folder / "backups").expanduser().absolute()

    @property
    def corpus_folder(self) -> Path:
        """Folder of the chunks and their manifest."""
        return self.data_folder / "corpus"


class DaemonSettings(CommonSettings):
    """Settings of the daemon. A copy of its data folder is refused while the original daemon runs."""

    measured_core: int | None = Field(default=None, ge=0)
    """Core that runners are pinned to; by default the highest-numbered core that is online."""
    share_core: bool = False
    """Measure although another daemon of this machine may measure on the same core at the same time."""
    runners_folder: Path | None = None
    """Folder of prebuilt runners that are used instead of building them on the device."""
    cross_built_runners: bool = True
    """Installs the service's cross-built runners, if it offers some for this device, instead of compiling its own."""
    sampling_interval_ms: int = Field(default=10, ge=1, le=1000)
    """Interval between two samples of the fine curve of memory and CPU time."""
    exit_stop: bool = True
    """Stop programs at their exit (ptrace) to read their peak memory; their time excludes the stop."""
    meter_command: str | None = None
    """Command line of a power meter's program that prints one JSON line per reading (see measurement.md)."""
    service_key: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_-]{43}$")
    """Public key of the service, which must have signed every program that is downloaded; set by the joining script."""
