"""Program that prints an HTML document as PDF: ``pdf_program.py``, HTML on standard input, PDF on standard output.

It imports nothing of this package, loads nothing from files or addresses, and ends after one document.
"""

import sys

from weasyprint import HTML
from weasyprint.urls import URLFetcher


def main() -> None:
    """Print the document on standard input."""
    text = sys.stdin.buffer.read().decode()
    nothing = URLFetcher(allowed_protocols=())
    sys.stdout.buffer.write(HTML(string=text, url_fetcher=nothing).write_pdf())


if __name__ == "__main__":
    main()
