"""Options of the benchmarks."""

import argparse


def options(description: str | None, **defaults: object) -> argparse.Namespace:
    """Return the options of the command line by their defaults: ``max_days`` is ``--max-days``.

    A list takes several values, False is a switch, and a type in place of a default is that of an option without one.
    """
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        kind: dict[str, object] = {"type": type(default), "default": default}
        if isinstance(default, type):
            kind = {"type": default}
        elif default is False:
            kind = {"action": "store_true"}
        elif isinstance(default, list):
            kind |= {"type": type(default[0]), "nargs": "+"}
        parser.add_argument(f"--{name.replace('_', '-')}", **kind)  # type: ignore[arg-type]
    return parser.parse_args()
