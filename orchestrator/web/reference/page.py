"""The page of the API reference, and the document that it shows."""

from fastapi import Request, Response
from fastapi.responses import JSONResponse

from orchestrator.web.reference.document import reference_of
from orchestrator.web.rendering import HEADERS, page
from orchestrator.web.routing import page_router

router = page_router()


@router.get("/docs")
def reference(request: Request) -> Response:
    """Show every operation and schema of the REST API."""
    return page(request, "reference/reference.html", reference_of(request.app.openapi()))


@router.get("/openapi.json")
def openapi_document(request: Request) -> Response:
    """Return the OpenAPI document."""
    return JSONResponse(request.app.openapi(), headers=HEADERS)
