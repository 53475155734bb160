"""Calling an operation: attempts, retries and what the response holds."""

from __future__ import annotations

import itertools
import json
import random
import time
from typing import Any

from ._errors import ConnectionFailedError, InvalidResponseError, OutboundError, TimedOutError
from ._flow import Flow, Pause, Reply, send
from ._operation import Operation, Request, T
from ._refusals import error_of_response

# With no time left, an attempt still ends as one that came too late.
_MIN_TIMEOUT_S = 0.001
_BASE_DELAY_S = 0.5
_MAX_DELAY_S = 20.0


def call(operation: Operation[T], request: Request) -> Flow[T]:
    """Sends a request until it succeeds, fails for good, or is out of attempts or time; returns what it responds."""
    reply = yield from _send_with_retries(request)
    return _read_json(reply) if operation.json else reply.content  # type: ignore[return-value]


def _send_with_retries(request: Request) -> Flow[Reply]:
    limits = request.limits
    end = time.monotonic() + limits.total_timeout
    for retry in itertools.count():
        error: OutboundError
        try:
            timeout = max(_MIN_TIMEOUT_S, min(limits.timeout, end - time.monotonic()))
            reply = yield from send(request, timeout)
            if 200 <= reply.status < 300:
                return reply
            error = error_of_response(reply.status, reply.headers, reply.content)
        except (ConnectionFailedError, TimedOutError) as failure:
            error = failure
        delay = delay_before(retry, error.retry_after)
        is_over = retry >= limits.retries or time.monotonic() + delay >= end
        if is_over or not _is_worth_retrying(error, request.repeatable):
            raise error
        yield Pause(delay)
    raise AssertionError


def _is_worth_retrying(error: OutboundError, repeatable: bool) -> bool:
    """Whether a failed attempt is worth another one.

    A request that is not repeatable is sent again only where the service certainly did nothing: its body did not arrive
    (408), or it was over a limit (429). A quota of the day is the caller's to decide about.
    """
    if error.status in (408, 429):
        return error.code != "quota_exceeded"
    if error.status == 409:
        return error.code == "idempotency_key_in_use"
    return repeatable and (error.status >= 500 or isinstance(error, (ConnectionFailedError, TimedOutError)))


def delay_before(retry: int, retry_after: float | None) -> float:
    """The seconds before a retry: what the service asks for, or else a random part of a limit that doubles.

    With full jitter, clients do not come back all at once.
    """
    if retry_after is not None:
        return retry_after
    return random.random() * min(_MAX_DELAY_S, _BASE_DELAY_S * 2.0 ** min(retry, 16))


def _read_json(reply: Reply) -> Any:
    """A page of another server is no response of the API, also where its status is 200."""
    if not reply.content:
        return None
    if reply.headers.get("Content-Type", "").lower().split(";")[0].strip() == "application/json":
        try:
            return json.loads(reply.content)
        except (ValueError, RecursionError):
            pass
    raise InvalidResponseError(
        "The response is not what the API document describes; is base_url the address of the API?",
        status=reply.status,
        request_id=reply.headers.get("X-Request-Id"),
    )
