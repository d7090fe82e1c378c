"""Options of the benchmarks."""

import argparse


def counts(description: str | None, **defaults: int) -> argparse.Namespace:
    """Return the options of the command line, each a number with its default: ``max_days`` is ``--max-days``."""
    parser = argparse.ArgumentParser(description=description)
    for name, default in defaults.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    return parser.parse_args()
