"""Takes the steps of flows in this thread."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx

from ._flow import END, Emit, Flow, Next, Open, Outcome, Pause, Reply, Result, Send, Step, Stream, resume
from ._operation import T
from ._refusals import error_of_response
from ._settings import Settings
from ._transport import MAX_SILENCE_S, Transport, arguments_of, failures_as_errors, timed_out


class Driver(Transport):
    """Sends the requests of one client, each in the thread that asks for it."""

    def __init__(self, settings: Settings, http: httpx.Client) -> None:
        super().__init__(settings)
        self.http = http

    def run(self, flow: Flow[T]) -> T:
        """Takes all steps of a flow and returns its result."""
        with ExitStack() as streams:
            step = resume(flow)
            while not isinstance(step, Result):
                step = resume(flow, self._take(step, streams))
            return step.value  # type: ignore[no-any-return]

    def iterate(self, flow: Flow[None]) -> Iterator[Any]:
        """Takes the steps of a flow as the caller asks for its items."""
        with ExitStack() as streams:
            step = resume(flow)
            while not isinstance(step, Result):
                if isinstance(step, Emit):
                    yield step.item
                    step = resume(flow, Outcome())
                else:
                    step = resume(flow, self._take(step, streams))

    def _take(self, step: Step, streams: ExitStack) -> Outcome:
        try:
            if isinstance(step, Send):
                return Outcome(self._send(step))
            if isinstance(step, Open):
                return Outcome(self._open(step, streams))
            if isinstance(step, Next):
                return Outcome(next(step.iterator, END))
            if isinstance(step, Pause):
                time.sleep(step.seconds)
            return Outcome()
        except Exception as error:
            return Outcome(error=error)

    def _send(self, step: Send) -> Reply:
        end = time.monotonic() + step.timeout
        arguments: Any = arguments_of(step.request, self._credential())
        with failures_as_errors(step.timeout), self.http.stream(**arguments, timeout=step.timeout) as response:
            content = bytearray()
            for chunk in response.iter_bytes():
                content += chunk
                # The limit of httpx is for each wait, and a body may come drop by drop.
                if time.monotonic() > end:
                    raise timed_out(step.timeout)
            return self.reply(response, bytes(content))

    def _open(self, step: Open, streams: ExitStack) -> Stream:
        streams.close()
        arguments: Any = arguments_of(step.request, self._credential())
        with failures_as_errors(MAX_SILENCE_S):
            response = streams.enter_context(self.http.stream(**arguments, timeout=MAX_SILENCE_S))
            self.notice(response.headers)
            if response.is_success:
                return Stream(response.headers, _chunks_of(response))
            raise error_of_response(response.status_code, response.headers, response.read())

    def _credential(self) -> str | None:
        credential = self.settings.credential
        return credential() if callable(credential) else credential  # type: ignore[return-value]


def _chunks_of(response: httpx.Response) -> Iterator[bytes]:
    with failures_as_errors(MAX_SILENCE_S):
        yield from response.iter_bytes()
