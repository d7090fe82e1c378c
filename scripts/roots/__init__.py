"""Debian roots for trials: a Raspberry Pi under emulation, the README from an empty system, units under systemd."""
