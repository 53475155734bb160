"""Calls every operation of both clients once, against a service that is in trouble, and prints the requests as JSON."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Iterator
from typing import Any

import httpx

from outbound import AsyncOutbound, Outbound, ServerError

requests: list[httpx.Request] = []


def refuse(request: httpx.Request) -> httpx.Response:
    requests.append(request)
    return httpx.Response(503, headers={"Retry-After": "0"})


def operations_of(client: Any) -> Iterator[tuple[str, Any]]:
    for resource in vars(client).values():
        if type(resource).__module__.startswith("outbound.generated"):
            for name, method in inspect.getmembers(resource, inspect.ismethod):
                if not name.startswith(("_", "iter_")):
                    yield name, method


async def call(method: Any) -> None:
    parameters = inspect.signature(method).parameters.values()
    result = method(**{each.name: "x" for each in parameters if each.default is each.empty})
    if inspect.isawaitable(result):
        await result
    elif hasattr(result, "__anext__"):
        await result.__anext__()
    else:
        next(result)


async def main() -> None:
    options: dict[str, Any] = {"base_url": "http://127.0.0.1:9", "access_key": "k", "retries": 1}
    transport = httpx.MockTransport(refuse)
    found = []
    for client in (
        Outbound(http_client=httpx.Client(transport=transport), **options),
        AsyncOutbound(http_client=httpx.AsyncClient(transport=transport), **options),
    ):
        for name, method in operations_of(client):
            requests.clear()
            try:
                await call(method)
            except ServerError:
                pass
            found.append(
                {
                    "name": name,
                    "requests": [f"{each.method} {each.url.path}" for each in requests],
                    "keys": [each.headers.get("Idempotency-Key") for each in requests],
                }
            )
    print(json.dumps(found))


asyncio.run(main())
