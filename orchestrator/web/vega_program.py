"""Program that draws a chart, or makes the chart library: ``vega_program.py svg|png|pdf|library`` with its input on
standard input.

It imports nothing of this package, and ends after one piece of work.
"""

import json
import sys

import vl_convert

PNG_SCALE = 2
"""Pixels for each unit of a chart: sharp on screens and in slides."""


def main() -> None:
    """Make what the argument names from standard input, and write it to standard output."""
    given = sys.stdin.buffer.read().decode()
    sys.stdout.buffer.write(_made(sys.argv[1], given))


def _made(task: str, given: str) -> bytes:
    if task == "library":
        return str(vl_convert.javascript_bundle(given)).encode()
    spec = json.loads(given)
    if task == "svg":
        return str(vl_convert.vegalite_to_svg(spec)).encode()
    made = vl_convert.vegalite_to_png(spec, scale=PNG_SCALE) if task == "png" else vl_convert.vegalite_to_pdf(spec)
    return bytes(made)


if __name__ == "__main__":
    main()
