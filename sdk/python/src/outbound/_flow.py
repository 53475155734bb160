"""Flows: what the client does, step by step, without doing any I/O.

A flow is a generator. It yields a step, such as a request to send, and gets back what came of it. `Driver` takes the
steps of a flow in this thread, `AsyncDriver` in a task, so that both clients do the same.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar, Union

import httpx

from ._operation import Request

T = TypeVar("T")


@dataclass(frozen=True)
class Reply:
    """A response with its whole body."""

    status: int
    headers: httpx.Headers
    content: bytes = b""


@dataclass(frozen=True)
class Stream:
    """A response whose body is read chunk by chunk, with `Next`."""

    headers: httpx.Headers
    chunks: Any


@dataclass(frozen=True)
class Send:
    """Sends a request and reads the response."""

    request: Request
    timeout: float


@dataclass(frozen=True)
class Open:
    """Sends a request whose response is read as it comes. A refusal is an error. Ends the stream before."""

    request: Request


@dataclass(frozen=True)
class Pause:
    """Waits."""

    seconds: float


@dataclass(frozen=True)
class Next:
    """Takes the next item of an iterator of the caller's; `END` after the last one."""

    iterator: Any


@dataclass(frozen=True)
class Emit:
    """Hands an item to the caller's loop."""

    item: Any


END = object()
Step = Union[Send, Open, Pause, Next, Emit]
Flow = Generator[Step, Any, T]


@dataclass(frozen=True)
class Outcome:
    """What came of a step: a value, or an error."""

    value: Any = None
    error: Exception | None = None


@dataclass(frozen=True)
class Result:
    """The end of a flow."""

    value: Any


def resume(flow: Flow[Any], outcome: Outcome | None = None) -> Step | Result:
    """Goes on with a flow after the outcome of its last step, or begins it; returns the next step, or the end."""
    try:
        if outcome is None:
            return next(flow)
        return flow.send(outcome.value) if outcome.error is None else flow.throw(outcome.error)
    except StopIteration as end:
        return Result(end.value)


def send(request: Request, timeout: float) -> Flow[Reply]:
    """Sends a request once."""
    reply: Reply = yield Send(request, timeout)
    return reply


def open_stream(request: Request) -> Flow[Stream]:
    """Opens a stream."""
    stream: Stream = yield Open(request)
    return stream
