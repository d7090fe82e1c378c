"""Entropy: until the kernel's generator is seeded, a program that reads random shares from it blocks."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import PreflightContext, Requirement, read_number
from orchestrator.wire.health import PreflightResult

MIN_BITS = 128
"""Bits from which the generator counts as seeded before Linux 5.18; 256 since. Source: drivers/char/random.c."""


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Check how many bits of entropy the kernel's generator has."""
    requirement = Requirement("entropy", f"at least {MIN_BITS} bits")
    path = roots.proc / "sys/kernel/random/entropy_avail"
    bits = read_number(path)
    if bits is None:
        return requirement.no_file(path)
    if bits >= MIN_BITS:
        return requirement.good(f"{bits} bits")
    return requirement.poor(f"{bits} bits", "Wait a few minutes after boot, or: sudo apt-get install rng-tools5")
