"""Takes the steps of flows in a task, of asyncio or trio."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import anyio
import httpx

from ._flow import END, Emit, Flow, Next, Open, Outcome, Pause, Reply, Result, Send, Step, Stream, resume
from ._operation import T
from ._refusals import error_of_response
from ._settings import Settings
from ._transport import MAX_SILENCE_S, Transport, arguments_of, failures_as_errors, timed_out


class AsyncDriver(Transport):
    """Sends the requests of one client, each in the task that asks for it."""

    def __init__(self, settings: Settings, http: httpx.AsyncClient) -> None:
        super().__init__(settings)
        self.http = http

    async def run(self, flow: Flow[T]) -> T:
        """Takes all steps of a flow and returns its result."""
        async with AsyncExitStack() as streams:
            step = resume(flow)
            while not isinstance(step, Result):
                step = resume(flow, await self._take(step, streams))
            return step.value  # type: ignore[no-any-return]

    async def iterate(self, flow: Flow[None]) -> AsyncIterator[Any]:
        """Takes the steps of a flow as the caller asks for its items."""
        async with AsyncExitStack() as streams:
            step = resume(flow)
            while not isinstance(step, Result):
                if isinstance(step, Emit):
                    yield step.item
                    step = resume(flow, Outcome())
                else:
                    step = resume(flow, await self._take(step, streams))

    async def _take(self, step: Step, streams: AsyncExitStack) -> Outcome:
        try:
            if isinstance(step, Send):
                return Outcome(await self._send(step))
            if isinstance(step, Open):
                return Outcome(await self._open(step, streams))
            if isinstance(step, Next):
                return Outcome(await _next(step.iterator))
            if isinstance(step, Pause):
                await anyio.sleep(step.seconds)
            return Outcome()
        except Exception as error:
            return Outcome(error=error)

    async def _send(self, step: Send) -> Reply:
        arguments: Any = arguments_of(step.request, await self._credential())
        try:
            with anyio.fail_after(step.timeout), failures_as_errors(step.timeout):
                async with self.http.stream(**arguments, timeout=None) as response:
                    return self.reply(response, await response.aread())
        except TimeoutError as error:
            raise timed_out(step.timeout) from error

    async def _open(self, step: Open, streams: AsyncExitStack) -> Stream:
        await streams.aclose()
        arguments: Any = arguments_of(step.request, await self._credential())
        with failures_as_errors(MAX_SILENCE_S):
            response = await streams.enter_async_context(self.http.stream(**arguments, timeout=MAX_SILENCE_S))
            self.notice(response.headers)
            if response.is_success:
                return Stream(response.headers, _chunks_of(response))
            raise error_of_response(response.status_code, response.headers, await response.aread())

    async def _credential(self) -> str | None:
        credential = self.settings.credential
        given = credential() if callable(credential) else credential
        return await given if inspect.isawaitable(given) else given


async def _chunks_of(response: httpx.Response) -> AsyncIterator[bytes]:
    with failures_as_errors(MAX_SILENCE_S):
        async for chunk in response.aiter_bytes():
            yield chunk


async def _next(iterator: Any) -> Any:
    if not hasattr(iterator, "__anext__"):
        return next(iterator, END)
    try:
        return await iterator.__anext__()
    except StopAsyncIteration:
        return END
