"""Lists, page by page."""

from __future__ import annotations

from typing import Any

from ._calls import call
from ._flow import Emit, Flow
from ._operation import Operation, build_request
from ._settings import Settings


def read_pages(settings: Settings, operation: Operation[Any], field: str, given: dict[str, Any]) -> Flow[None]:
    """Reads a list and emits its entries; the next page is read when it is needed."""
    query = dict(given.get("query") or {})
    while True:
        page = yield from call(operation, build_request(settings, operation, **{**given, "query": query}))
        for entry in page[field]:
            yield Emit(entry)
        query["after"] = page["next"]
        if query["after"] is None:
            return
