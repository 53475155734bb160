"""What the drivers have in common: requests and responses of httpx, and its failures as errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import httpx

from ._errors import ConnectionFailedError, TimedOutError
from ._flow import Reply
from ._operation import Request, check_header
from ._rate_limit import RateLimit, read_rate_limit
from ._settings import Settings
from .generated.version import VERSION

USER_AGENT = {"User-Agent": f"outbound-python/{VERSION}"}

# The service writes something every 15 seconds.
MAX_SILENCE_S = 30.0

_listening: ContextVar[list[httpx.Headers] | None] = ContextVar("outbound_listening", default=None)


class Transport:
    """The settings of a client, and what its last response said."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.rate_limit: RateLimit | None = None

    def notice(self, headers: httpx.Headers) -> None:
        """Keeps what the client shows of a response."""
        self.rate_limit = read_rate_limit(headers) or self.rate_limit
        received = _listening.get()
        if received is not None:
            received.append(headers)

    def reply(self, response: httpx.Response, content: bytes) -> Reply:
        """A response whose body has been read."""
        self.notice(response.headers)
        return Reply(response.status_code, response.headers, content)


@contextmanager
def listen_for_etag() -> Iterator[Callable[[], str]]:
    """Gives a function that returns the ETag of the last response to this thread or task."""
    received: list[httpx.Headers] = []
    before = _listening.set(received)
    try:
        yield lambda: str(received[-1].get("ETag", "")) if received else ""
    finally:
        _listening.reset(before)


def arguments_of(request: Request, credential: str | None) -> dict[str, object]:
    """The arguments of `build_request` of httpx. A credential that the request names itself stays."""
    headers = httpx.Headers(dict(request.headers))
    if credential is not None:
        check_header("access_key or token", credential)
        headers.setdefault("Authorization", f"Bearer {credential}")
    return {
        "method": request.method,
        "url": request.url,
        "params": dict(request.query),
        "headers": headers,
        "content": request.content,
    }


def timed_out(timeout: float) -> TimedOutError:
    """No response within `timeout` seconds."""
    return TimedOutError(f"No response within {timeout:g} s")


@contextmanager
def failures_as_errors(timeout: float) -> Iterator[None]:
    """Turns the failures of a connection into errors."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise timed_out(timeout) from error
    except httpx.RequestError as error:
        raise ConnectionFailedError("The service could not be reached, or the connection was lost") from error
