"""Settings of ``ciphermark measure``: four of the daemon's.

Plain values are read here, without pydantic, whose import takes longer than the rest of the start. Every other value is
left to ``orchestrator.shared.settings``, which has the rules and the messages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

_PREFIX = "CIPHERMARK_"
_INTERVAL_LIMITS_MS = (1, 1000)
_DEFAULT_INTERVAL_MS = 10
_MAX_DIGITS = 4
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class BenchSettings:
    """Settings of the instrument; docs/settings.md describes them."""

    cache_folder: Path
    measured_core: int | None
    sampling_interval_ms: int
    exit_stop: bool


def read_plain_settings(variables: Mapping[str, str]) -> BenchSettings | None:
    """Return the settings from the environment, or None if one is not a plain number or truth value within limits."""
    given = {name.upper(): value for name, value in variables.items() if name.upper().startswith(_PREFIX)}
    folder, core = given.get(f"{_PREFIX}CACHE_FOLDER"), given.get(f"{_PREFIX}MEASURED_CORE")
    interval = given.get(f"{_PREFIX}SAMPLING_INTERVAL_MS", str(_DEFAULT_INTERVAL_MS))
    if not _is_plain(interval) or not (core is None or _is_plain(core)):
        return None
    exit_stop = _TRUTHS.get(given.get(f"{_PREFIX}EXIT_STOP", "true").lower())
    lowest, highest = _INTERVAL_LIMITS_MS
    if exit_stop is None or not lowest <= int(interval) <= highest:
        return None
    return BenchSettings(
        cache_folder=user_cache_path("ciphermark") if folder is None else Path(folder).expanduser().absolute(),
        measured_core=None if core is None else int(core),
        sampling_interval_ms=int(interval),
        exit_stop=exit_stop,
    )


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS
