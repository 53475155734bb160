"""The client for programs without `async`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import httpx
from typing_extensions import ParamSpec, Self, TypeVar

from ._campaigns import Contacts, SentCampaign, Until, send_campaign, wait_for_campaign
from ._driver import Driver
from ._following import FollowedEvent, follow_company
from ._rate_limit import RateLimit
from ._settings import Limits, read_settings
from ._transport import USER_AGENT, listen_for_etag
from .generated.resources import Resources

if TYPE_CHECKING:
    from .generated import types

P = ParamSpec("P")
T = TypeVar("T")


class Outbound(Resources):
    """A configured client: the address of the service, one credential, and how to retry.

    Its attributes are the resources of the API: `outbound.campaigns.list_campaigns()`. It is safe to share between
    threads.
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        access_key: str | None = None,
        token: str | Callable[[], str] | None = None,
        timeout: float = 30.0,
        retries: int = 4,
        total_timeout: float = 120.0,
        http_client: httpx.Client | None = None,
    ) -> None:
        """Checks the options; `ValueError` names the one at fault.

        Args:
            base_url: the address of the API, ending in `/functions/v1`; OUTBOUND_BASE_URL if left out
            access_key: a company's access key; OUTBOUND_API_KEY if it and `token` are left out
            token: a user's token; as a function, it is called for each request
            timeout: seconds for one attempt
            retries: how often a request is repeated at most
            total_timeout: seconds for all attempts of a request
            http_client: replaces the client of httpx, for proxies and certificates
        """
        settings = read_settings(base_url, access_key, token, Limits(timeout, retries, total_timeout))
        self._driver = Driver(settings, http_client or httpx.Client(headers=USER_AGENT))
        super().__init__(self._driver)

    @property
    def rate_limit(self) -> RateLimit | None:
        """The rate of the access key, as the last response that named it reports it."""
        return self._driver.rate_limit

    def send_campaign(
        self,
        notification: Mapping[str, Any],
        contacts: Contacts,
        *,
        idempotency_key: str | None = None,
        on_progress: Callable[[SentCampaign], object] | None = None,
    ) -> SentCampaign:
        """Sends a notification to any number of contacts as one campaign, a hundred per request.

        Repeat a campaign that broke off with the same key and the same contacts: what was accepted is not sent again.

        Args:
            notification: as for `send_notification`, without `contact` and `contacts`
            idempotency_key: at most 240 printable characters without spaces
            on_progress: called after every request with what was accepted so far
        """
        settings = self._driver.settings
        return self._driver.run(send_campaign(settings, notification, contacts, idempotency_key, on_progress))

    def wait_for_campaign(
        self, campaign_id: str, *, until: Until = "completed", timeout: float = 600.0
    ) -> types.CampaignStatus:
        """Waits until a campaign is completed, or what `until` asks for, and returns its status.

        Args:
            until: a status, or a function that says whether to stop waiting
            timeout: seconds; then `WaitTimedOutError`
        """
        return self._driver.run(wait_for_campaign(self._driver.settings, campaign_id, until, timeout))

    def events(self, company_id: str = "mine", *, last_event_id: str | None = None) -> Iterator[FollowedEvent]:
        """Yields what changes in a company, without end, over lost connections, until the loop is left."""
        return self._driver.iterate(follow_company(self._driver.settings, company_id, last_event_id))

    def with_etag(self, operation: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[T, str]:
        """Reads or changes settings, and returns them with their ETag: send it as `if_match` with the next change."""
        with listen_for_etag() as etag:
            data = operation(*args, **kwargs)
        return data, etag()

    def close(self) -> None:
        """Closes the connections."""
        self._driver.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
