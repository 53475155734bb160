"""Following a company: reconnection without a gap, and polling where streams do not come through."""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from typing_extensions import TypedDict

from ._calls import call, delay_before
from ._errors import InvalidResponseError, OutboundError
from ._events import EventParser, is_event_stream
from ._flow import END, Emit, Flow, Next, Pause, open_stream
from ._operation import build_request
from ._repetition_filter import RepetitionFilter
from ._settings import Settings
from .generated import operations

if TYPE_CHECKING:
    from .generated import types

# After so many streams in a row without a byte, polling begins.
_MAX_EMPTY_STREAMS = 2
_POLL_S = 1.0


class StreamMark(TypedDict):
    """`ready`: the stream has begun. `reset`: read your lists anew."""

    type: Literal["ready", "reset"]
    data: dict[str, Any]


class FollowedEvent(NamedTuple):
    """An event of a company, and the id to go on from here: give it as `last_event_id`."""

    id: str
    event: types.CompanyEvent | StreamMark


class _Follower:
    def __init__(self, settings: Settings, company_id: str, last_event_id: str | None) -> None:
        self.settings = settings
        self.company_id = company_id
        self.last_event_id = last_event_id
        self.empty_streams = 0
        self.has_progressed = False
        self.is_new = RepetitionFilter()

    def emit(self, changes: list[Any], last_id: str) -> Generator[Emit, Any, None]:
        """Hands on an update. Only its last event has the id after it: half of it would come again."""
        self.has_progressed = True
        before = last_id if self.last_event_id is None else self.last_event_id
        self.last_event_id = last_id
        news = [change for change in changes if self.is_new(change)]
        for index, change in enumerate(news):
            yield Emit(FollowedEvent(last_id if index == len(news) - 1 else before, change))


def follow_company(settings: Settings, company_id: str, last_event_id: str | None) -> Flow[None]:
    """Emits what changes in a company, without end. A refusal, such as of a token that has expired, ends it."""
    follower = _Follower(settings, company_id, last_event_id)
    failures = 0
    while True:
        follower.has_progressed = False
        retry_after: float | None = None
        try:
            if follower.empty_streams < _MAX_EMPTY_STREAMS:
                yield from _stream(follower)
            else:
                yield from _poll(follower)
        except OutboundError as error:
            if 400 <= error.status < 500 and error.status not in (408, 429):
                raise
            retry_after = error.retry_after
        failures = 0 if follower.has_progressed else failures
        yield Pause(delay_before(failures, retry_after))
        failures += 1


def _stream(follower: _Follower) -> Flow[None]:
    """Reads one stream until it ends."""
    headers = {"Accept": "text/event-stream", "Last-Event-ID": follower.last_event_id}
    path = {"company_id": follower.company_id}
    request = build_request(follower.settings, operations.FOLLOW_COMPANY, path=path, headers=headers)
    stream = yield from open_stream(request)
    if not is_event_stream(stream.headers.get("Content-Type", "")):
        follower.empty_streams = _MAX_EMPTY_STREAMS
        return
    follower.empty_streams += 1
    parser = EventParser()
    changes: list[Any] = []
    while (chunk := (yield Next(stream.chunks))) is not END:
        for kind, data, last_id in parser.feed(chunk):
            follower.empty_streams = 0
            if data:
                changes.append({"type": kind, "data": _read(data)})
            if last_id is not None:
                yield from follower.emit(changes, last_id)
                changes = []


def _read(data: str) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise InvalidResponseError("An event of the stream is not JSON") from error


def _poll(follower: _Follower) -> Flow[None]:
    path = {"company_id": follower.company_id}
    while True:
        query = {"after": follower.last_event_id}
        request = build_request(follower.settings, operations.FOLLOW_COMPANY, path=path, query=query)
        page = yield from call(operations.FOLLOW_COMPANY, request)
        reset: list[Any] = [{"type": "reset", "data": {}}] if page["reset"] else []
        yield from follower.emit([*reset, *page["events"], {"type": "ready", "data": {}}], page["next"])
        yield Pause(_POLL_S)
