"""What the generated methods are made of."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from ._async_driver import AsyncDriver
from ._calls import call
from ._driver import Driver
from ._events import stream_events
from ._operation import Operation, ServerEvent, T, build_request
from ._pages import read_pages


class Resource:
    """The operations of a resource, for `Outbound`."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def _call(self, operation: Operation[T], **given: Any) -> T:
        return self._driver.run(call(operation, build_request(self._driver.settings, operation, **given)))

    def _pages(self, operation: Operation[Any], field: str, **given: Any) -> Iterator[Any]:
        return self._driver.iterate(read_pages(self._driver.settings, operation, field, given))

    def _stream(self, operation: Operation[Any], **given: Any) -> Iterator[ServerEvent]:
        return self._driver.iterate(stream_events(build_request(self._driver.settings, operation, **given)))


class AsyncResource:
    """The operations of a resource, for `AsyncOutbound`."""

    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def _call(self, operation: Operation[T], **given: Any) -> T:
        return await self._driver.run(call(operation, build_request(self._driver.settings, operation, **given)))

    def _pages(self, operation: Operation[Any], field: str, **given: Any) -> AsyncIterator[Any]:
        return self._driver.iterate(read_pages(self._driver.settings, operation, field, given))

    def _stream(self, operation: Operation[Any], **given: Any) -> AsyncIterator[ServerEvent]:
        return self._driver.iterate(stream_events(build_request(self._driver.settings, operation, **given)))
