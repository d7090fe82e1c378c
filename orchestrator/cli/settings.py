"""Settings of a command: an invalid variable is reported by its name."""

from typing import Any, TypeVar

from pydantic import ValidationError

from orchestrator.shared.errors import SetupError
from orchestrator.shared.settings import CommonSettings, ServiceSettings
from orchestrator.shared.values.field_errors import expectation

AnySettings = TypeVar("AnySettings", bound=CommonSettings)


def service_settings(**given: Any) -> ServiceSettings:
    """Return the service's settings; options override the environment."""
    return read_settings(ServiceSettings, **given)


def read_settings(cls: type[AnySettings], **given: Any) -> AnySettings:
    """Return the settings; raises SetupError that lists each invalid variable with the value seen and allowed."""
    try:
        return cls(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        faults = "; ".join(
            f"CIPHERMARK_{'_'.join(map(str, fault['loc'])).upper()}: {expectation(fault)}, seen {_seen(fault)}"
            for fault in error.errors(include_url=False)
        )
        raise SetupError(f"Invalid settings: {faults}.", remedy="See docs/settings.md.") from None


def _seen(fault: Any) -> str:
    return "a secret" if "url" in str(fault["loc"]) else repr(fault["input"])[:80]
