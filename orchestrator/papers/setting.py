"""Devices, lengths, flags and code of a publication, as far as it names them."""

from dataclasses import dataclass

from orchestrator.papers.quantities import Device


@dataclass(frozen=True)
class DeviceKind:
    """A kind of device that a publication or a claim is about: a rule over an inventory."""

    label: str
    """As in "measured on …"."""
    architectures: tuple[str, ...]
    """Such as `x86_64`."""
    models: tuple[str, ...] = ()
    """Lower-case texts of which the model of the device or of its processor contains one. Empty for a kind that the
    publication did not measure."""
    virtual_machine: bool = False
    """The publication measured in a virtual machine; otherwise none is of this kind, whatever processor it shows."""

    def includes(self, device: Device) -> bool:
        """Return whether a device is of this kind."""
        if device.virtual_machine and not self.virtual_machine:
            return False
        model = device.facts.model.lower()
        return device.architecture in self.architectures and any(one in model for one in self.models)


@dataclass(frozen=True)
class Setting:
    """Conditions of the measurements of a publication."""

    devices: tuple[DeviceKind, ...] = ()
    lengths: tuple[int, ...] = ()
    """Bytes of its inputs; claims are judged with these alone. Empty if it names none: then with every length."""
    flags: str = ""
    """Such as `-O3`; empty if it names none."""
    compilers: str = ""
    code: str = ""
    """How the code of a run differs from the measured one, as a noun phrase."""
