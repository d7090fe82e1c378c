"""The page of licenses: Ciphermark's own, and those of the JavaScript packages that the service sends to browsers."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import Request, Response

from orchestrator.web.rendering import page
from orchestrator.web.routing import open_router

COMPONENTS_FILE = "chart_library.json"
"""Written by scripts/update_licenses.py from the packages that vl-convert embeds."""

router = open_router()


@router.get("/licenses")
def licenses(request: Request) -> Response:
    """Show the licenses; without a login, because everyone who can load the chart library needs them."""
    return page(request, "licenses/licenses.html", licenses_page())


@cache
def licenses_page() -> dict[str, Any]:
    """Return the packages of the chart library with their licenses."""
    text = files("orchestrator.web.licenses").joinpath(COMPONENTS_FILE).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
