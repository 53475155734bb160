"""The client for programs with `async`: what `Outbound` does, in tasks of asyncio or trio."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx
from typing_extensions import ParamSpec, Self, TypeVar

from ._campaigns import Contacts, SentCampaign, Until, send_campaign, wait_for_campaign
from ._async_driver import AsyncDriver
from ._following import FollowedEvent, follow_company
from ._rate_limit import RateLimit
from ._settings import Limits, Token, read_settings
from ._transport import USER_AGENT, listen_for_etag
from .generated.async_resources import AsyncResources

if TYPE_CHECKING:
    from .generated import types

P = ParamSpec("P")
T = TypeVar("T")


class AsyncOutbound(AsyncResources):
    """`Outbound` for programs with `async`: `await outbound.campaigns.list_campaigns()`."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        access_key: str | None = None,
        token: Token | None = None,
        timeout: float = 30.0,
        retries: int = 4,
        total_timeout: float = 120.0,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """Takes the options of `Outbound`; a function for `token` may be `async`."""
        settings = read_settings(base_url, access_key, token, Limits(timeout, retries, total_timeout))
        self._driver = AsyncDriver(settings, http_client or httpx.AsyncClient(headers=USER_AGENT))
        super().__init__(self._driver)

    @property
    def rate_limit(self) -> RateLimit | None:
        """The rate of the access key, as the last response that named it reports it."""
        return self._driver.rate_limit

    async def send_campaign(
        self,
        notification: Mapping[str, Any],
        contacts: Contacts | AsyncIterable[Mapping[str, object]],
        *,
        idempotency_key: str | None = None,
        on_progress: Callable[[SentCampaign], object] | None = None,
    ) -> SentCampaign:
        """Sends a notification to any number of contacts as one campaign, as `Outbound.send_campaign` does."""
        settings = self._driver.settings
        return await self._driver.run(send_campaign(settings, notification, contacts, idempotency_key, on_progress))

    async def wait_for_campaign(
        self, campaign_id: str, *, until: Until = "completed", timeout: float = 600.0
    ) -> types.CampaignStatus:
        """Waits until a campaign is completed, or what `until` asks for, and returns its status."""
        return await self._driver.run(wait_for_campaign(self._driver.settings, campaign_id, until, timeout))

    def events(self, company_id: str = "mine", *, last_event_id: str | None = None) -> AsyncIterator[FollowedEvent]:
        """Yields what changes in a company, without end, over lost connections, until the loop is left."""
        return self._driver.iterate(follow_company(self._driver.settings, company_id, last_event_id))

    async def with_etag(self, operation: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs) -> tuple[T, str]:
        """Reads or changes settings, and returns them with their ETag: send it as `if_match` with the next change."""
        with listen_for_etag() as etag:
            data = await operation(*args, **kwargs)
        return data, etag()

    async def close(self) -> None:
        """Closes the connections."""
        await self._driver.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
