"""Does what tests/sdk/behaviours.ts asks of a client: `behaviours.py BEHAVIOUR`, with INPUT as JSON in the environment.

Prints one line of JSON. With CLIENT=async it is the async client that does it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import outbound
from outbound import AsyncOutbound, FollowedEvent, Outbound, OutboundError

INPUT = json.loads(os.environ["INPUT"])
Behaviour = Callable[..., Awaitable[Any]]


class Both:
    """`Outbound` with the methods of `AsyncOutbound`, so that each behaviour stands here once."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._client, name)
        if name == "events":
            return lambda *args, **named: _each(value(*args, **named))
        if name.startswith("iter_"):
            return lambda *args, **named: _each(value(*args, **named))
        if callable(value):
            return lambda *args, **named: asyncio.to_thread(value, *args, **named)
        return Both(value) if type(value).__module__.startswith("outbound.generated") else value


async def _each(items: Any) -> AsyncIterator[Any]:
    end = object()
    while (item := await asyncio.to_thread(next, items, end)) is not end:
        yield item


def client(**options: Any) -> Any:
    if os.environ.get("CLIENT") == "async":
        return AsyncOutbound(**options)
    return Both(Outbound(**options))


async def send_one() -> Any:
    accepted = await client().notifications.send_notification({**INPUT["notification"], "contact": INPUT["contact"]})
    return {"campaign_id": accepted["inquiry_set_id"], "inquiry_set_id": accepted["inquiry_set_id"]}


async def environment_missing() -> Any:
    try:
        await client().campaigns.list_campaigns()
    except ValueError as error:
        return {"message": str(error)}


async def _failure(call: Awaitable[Any]) -> Any:
    try:
        return await call
    except OutboundError as error:
        return {
            "class": type(error).__name__,
            "code": error.code,
            "status": error.status,
            "field": error.field,
            "has_request_id": error.request_id is not None,
        }


async def fail() -> Any:
    return await _failure(send_one())


async def pages() -> Any:
    count = 0
    async for _ in client().campaigns.iter_campaigns(limit=INPUT["limit"]):
        count += 1
    return {"count": count}


async def send_campaign() -> Any:
    sent = await client().send_campaign(
        INPUT["notification"], INPUT["contacts"], idempotency_key=INPUT["idempotency_key"]
    )
    return {"campaign_id": sent.campaign_id, "accepted": sent.processed}


async def wait_for_campaign() -> Any:
    campaign = await client().wait_for_campaign(INPUT["campaign_id"], timeout=60)
    return {"sent": campaign["sent"], "failed": campaign["failed"]}


async def events() -> Any:
    sender, missing = client(), set(INPUT["names"])
    seen: list[str] = []
    async for event in client(token=INPUT["token"]).events(INPUT["company_id"]):
        assert isinstance(event, FollowedEvent)
        seen.append(json.dumps(event.event))
        if event.event["type"] == "ready":
            for name in INPUT["names"]:
                await sender.send_campaign({**INPUT["notification"], "campaign_name": name}, [INPUT["contact"]])
        if event.event["type"] == "campaign":
            missing.discard(event.event["data"]["campaign_name"])
        if not missing:
            break
    return {"missing": len(missing), "doubles": len(seen) - len(set(seen))}


async def webhook() -> Any:
    def check(headers: dict[str, str]) -> Any:
        try:
            return {"type": outbound.verify_webhook(INPUT["body"], headers, INPUT["secret"])["type"]}
        except OutboundError as error:
            return error.code

    return {name: check(INPUT["headers"][name]) for name in ("valid", "wrong", "old")}


async def rate_limit() -> Any:
    outbound_client = client()
    await outbound_client.campaigns.list_campaigns()
    limit = outbound_client.rate_limit
    return {"limit": limit.limit, "remaining": limit.remaining, "has_reset": limit.reset_s >= 0}


async def timeout() -> Any:
    return await _failure(client(timeout=INPUT["timeout_ms"] / 1000, retries=0).campaigns.list_campaigns())


async def cancelled() -> Any:
    """A thread cannot be cancelled, so this is for the async client alone."""
    task = asyncio.ensure_future(AsyncOutbound().campaigns.list_campaigns())
    await asyncio.sleep(INPUT["cancel_after_ms"] / 1000)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return {"cancelled": True}


BEHAVIOURS: dict[str, Behaviour] = {
    "send_one": send_one,
    "environment_missing": environment_missing,
    "lost_response": send_one,
    "too_many": send_one,
    "server_error": send_one,
    "refused": fail,
    "unauthorized": fail,
    "not_json": fail,
    "pages": pages,
    "send_campaign": send_campaign,
    "wait_for_campaign": wait_for_campaign,
    "events": events,
    "webhook": webhook,
    "rate_limit": rate_limit,
    "timeout": timeout,
    "cancelled": cancelled,
}

if __name__ == "__main__":
    print(json.dumps(asyncio.run(BEHAVIOURS[sys.argv[1]]())))
