"""Randomness: before the kernel's generator is seeded, a program that asks it for shares of a mask has to wait."""

from orchestrator.measurement.machine.roots import Roots
from orchestrator.measurement.preflight.base import Condition, PreflightContext, read_number
from orchestrator.wire.health import PreflightResult

LEAST_BITS = 128
"""The generator counts as seeded from here on before Linux 5.18, from 256 on since. Source: drivers/char/random.c."""


def check(roots: Roots, _context: PreflightContext) -> PreflightResult:
    """Look how many bits the kernel's generator was fed."""
    condition = Condition("entropy", f"at least {LEAST_BITS} bits")
    path = roots.proc / "sys/kernel/random/entropy_avail"
    bits = read_number(path)
    if bits is None:
        return condition.no_file(path)
    if bits >= LEAST_BITS:
        return condition.good(f"{bits} bits")
    return condition.poor(f"{bits} bits", "Wait some minutes after boot, or: sudo apt-get install rng-tools5")
