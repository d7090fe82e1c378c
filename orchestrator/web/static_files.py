"""The endpoint of style sheets, scripts and the chart library."""

from typing import Annotated

from fastapi import Query, Request, Response

from orchestrator.service.dependencies import SettingsDep
from orchestrator.web import assets
from orchestrator.web.rendering import HEADERS
from orchestrator.web.routing import open_router

router = open_router()


@router.get("/static/{name}")
def static_file(
    request: Request, settings: SettingsDep, name: str, _version: Annotated[str, Query(alias="v")] = ""
) -> Response:
    """Send a style sheet, a script, a picture or the chart library; its version is for the caches of browsers."""
    asset = assets.find(name, settings.cache_folder)
    headers = HEADERS | {
        "Cache-Control": "public, max-age=31536000, immutable",
        "Vary": "Accept-Encoding",
        "ETag": f'"{asset.digest[:32]}"',
    }
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.compressed, media_type=asset.media_type, headers=headers | {"Content-Encoding": "gzip"})
    return Response(asset.content, media_type=asset.media_type, headers=headers)
