"""Streams of server-sent events."""

from __future__ import annotations

import codecs
import re

from ._errors import InvalidResponseError
from ._flow import END, Emit, Flow, Next, open_stream
from ._operation import Request, ServerEvent


class EventParser:
    """Reads a `text/event-stream` body. An event that is cut off at the end is left out."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Returns the events that are complete with this chunk."""
        self._rest += self._decoder.decode(chunk)
        *blocks, self._rest = re.split(r"\r?\n\r?\n", self._rest)
        return [_parse(block) for block in blocks]


def _parse(block: str) -> ServerEvent:
    kind, data, last_id = "", [], None
    for line in block.replace("\r\n", "\n").split("\n"):
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            kind = value
        elif name == "data":
            data.append(value)
        elif name == "id":
            last_id = value
    return ServerEvent(kind, "\n".join(data), last_id)


def stream_events(request: Request) -> Flow[None]:
    """Emits the events of one stream until it ends."""
    stream = yield from open_stream(request)
    if not is_event_stream(stream.headers.get("Content-Type", "")):
        raise InvalidResponseError("The response is no stream of events; is base_url the address of the API?")
    parser = EventParser()
    while (chunk := (yield Next(stream.chunks))) is not END:
        for event in parser.feed(chunk):
            yield Emit(event)


def is_event_stream(content_type: str) -> bool:
    """Whether a response of this type is a stream."""
    return content_type.lower().startswith("text/event-stream")
