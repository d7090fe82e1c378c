"""Program that draws a chart, or makes the chart library: ``vega_program.py picture|library``, input on standard input.

It imports nothing of this package, and ends after one piece of work.
"""

import json
import sys

import vl_convert


def main() -> None:
    """Make what the argument names from standard input, and write it to standard output."""
    given = sys.stdin.buffer.read().decode()
    if sys.argv[1] == "picture":
        made = vl_convert.vegalite_to_svg(json.loads(given))
    else:
        made = vl_convert.javascript_bundle(given)
    sys.stdout.buffer.write(str(made).encode())


if __name__ == "__main__":
    main()
