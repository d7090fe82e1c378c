"""Routers of pages, and the types of their query parameters."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from orchestrator.service.security.dependencies import ViewerDep
from orchestrator.shared.values.parameters import SearchText, WholeNumber
from orchestrator.web.rendering import PageRoute

PageNumber = Annotated[WholeNumber, Query(ge=1, le=1_000_000, alias="page")]
Choice = Annotated[SearchText, Query(max_length=80)]


def pages_of(total: int, rows_per_page: int) -> int:
    """Return the number of pages for this number of rows, at least 1."""
    return max(1, -(-total // rows_per_page))


def page_router() -> APIRouter:
    """Return a router of pages that viewers may read; errors are pages, too."""
    return APIRouter(include_in_schema=False, route_class=PageRoute, dependencies=[Depends(_note_rights)])


def open_router() -> APIRouter:
    """Return a router of what a browser loads before the user logs in."""
    return APIRouter(include_in_schema=False, route_class=PageRoute)


def routers_in(package: ModuleType) -> Iterator[APIRouter]:
    """Return the router of each module of a package that has one: pages and charts are found by being there."""
    for module in walk_packages(package.__path__, f"{package.__name__}."):
        router = getattr(import_module(module.name), "router", None)
        if isinstance(router, APIRouter):
            yield router


def _note_rights(request: Request, viewer: ViewerDep) -> None:
    """Record for the templates whether the caller may submit runs and change agents, and what it owns."""
    request.state.may_write = viewer.may("submitter")
    request.state.may_administer = viewer.may("admin")
    request.state.owns = viewer.owns
