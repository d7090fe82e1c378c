"""In what a device and its run differ from a publication, and whether they can contradict it. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property

from orchestrator.papers.paper import Claim, DeviceKind, Setting
from orchestrator.papers.quantities import Device
from orchestrator.shared.units import format_size

_OWN = "own"
"""Provider whose code is compiled with the flags of a toolchain; libraries and languages are used as installed."""


@dataclass(frozen=True)
class Comparability:
    """Claims of a publication next to one agent's part of a run."""

    setting: Setting
    claims: tuple[Claim, ...]
    device: Device

    @property
    def contradicts(self) -> bool:
        """Return whether a claim that fails here is contradicted: on its kind of device, with its lengths and flags."""
        return bool(self._providers) and not (self._device or self._flags or self._lengths)

    @property
    def differences(self) -> list[str]:
        """Every difference that can change a verdict, as noun phrases; of sizes and published figures, the code."""
        found = [self._device, self._flags, self._lengths] if self._providers else []
        code = f"code: {self.setting.code}" if self.setting.code and self.claims else ""
        return [one for one in (*found, code) if one]

    @cached_property
    def _providers(self) -> frozenset[str]:
        return frozenset(one for claim in self.claims for one in _providers(claim.statement))

    @property
    def _device(self) -> str:
        kinds = tuple(dict.fromkeys(one for claim in self.claims for one in kinds_of(self.setting, claim)))
        if any(one.includes(self.device) for one in kinds):
            return ""
        guest = f"in a virtual machine ({self.device.virtual_machine})" if self.device.virtual_machine else ""
        parts = (self.device.facts.model or "model unknown", self.device.architecture, guest)
        seen = ", ".join(one for one in parts if one)
        return f"processor: {seen} (publication: {labels(kinds) or 'none named'})"

    @property
    def _flags(self) -> str:
        found = dict(self._compilations())
        if self.setting.flags and set(found.values()) <= {self.setting.flags}:
            return ""
        published = " by ".join(one for one in (self.setting.flags, self.setting.compilers) if one)
        return f"flags: {', '.join(sorted(found)) or 'unknown'} (publication: {published or 'none named'})"

    def _compilations(self) -> Iterator[tuple[str, str]]:
        """Yield the label and the flags of each build in use; of what is used as installed, no flags."""
        for candidate in (*self.device.process, *self.device.latency):
            build = self.device.builds.get(candidate.build_id)
            if candidate.provider not in self._providers:
                continue
            if build is None or candidate.provider != _OWN:
                yield f"{candidate.provider} as installed", ""
            else:
                yield f"{build.flags} by {build.words}", build.flags

    @property
    def _lengths(self) -> str:
        absent = [format_size(one) for one in self.setting.lengths if one not in self.device.measured_lengths]
        return f"lengths left out: {', '.join(absent)}" if absent else ""


def kinds_of(setting: Setting, claim: Claim) -> tuple[DeviceKind, ...]:
    """Return the kinds of device that a claim is about: its own, or those of the publication."""
    return (claim.device,) if claim.device else setting.devices


def labels(kinds: tuple[DeviceKind, ...]) -> str:
    """Return the kinds for users; empty without any."""
    return " or ".join(one.label for one in kinds)


def noise(device: Device) -> str:
    """Return the share of disturbed executions and the noise floor as sentences."""
    floor = device.facts.noise_floor
    noise = f"Noise floor: {floor.relative:.1%}." if floor.relative is not None else f"No noise floor: {floor.reason}."
    disturbed, ok = device.counts.disturbed, device.counts.ok
    share = f" ({disturbed / ok:.0%})" if disturbed else ""
    return f"{disturbed} of {ok} executions were disturbed{share}. {noise}"


def _providers(part: object) -> Iterator[str]:
    """Yield the provider of each quantity in a statement; sizes of sources and published figures have none."""
    if isinstance(part, tuple):
        for one in part:
            yield from _providers(one)
    elif is_dataclass(part):
        for field in fields(part):
            value = getattr(part, field.name)
            if field.name == "provider":
                yield value
            else:
                yield from _providers(value)
