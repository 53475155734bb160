"""Sending a campaign of any size, and waiting for it."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from typing_extensions import TypeAlias

from ._calls import call
from ._errors import WaitTimedOutError
from ._flow import END, Flow, Next, Pause
from ._operation import build_request
from ._settings import Settings
from .generated import operations

if TYPE_CHECKING:
    from .generated import types

Until: TypeAlias = "str | Callable[[types.CampaignStatus], bool]"
Contacts: TypeAlias = "Iterable[Mapping[str, object]]"

_MAX_CONTACTS_PER_REQUEST = 100
_FIRST_POLL_S = 0.25
_MAX_POLL_S = 5.0


@dataclass
class SentCampaign:
    """The result of a campaign's requests.

    `errors` has the refused contacts; their `index` counts all contacts from 0. `notification_ids` has the notification
    of each contact, None for those in `errors`.
    """

    campaign_id: str
    total: int = 0
    processed: int = 0
    failed: int = 0
    errors: list[types.ContactFailure] = field(default_factory=list)
    notification_ids: list[str | None] = field(default_factory=list)

    def add(self, accepted: types.BulkAccepted) -> None:
        """Adds the result of a request to that of those before it."""
        for error in accepted["errors"]:
            self.errors.append({**error, "index": error["index"] + self.total})
        self.notification_ids += accepted["notification_ids"]
        self.total += accepted["total"]
        self.processed += accepted["processed"]
        self.failed += accepted["failed"]


def send_campaign(
    settings: Settings,
    notification: Mapping[str, Any],
    contacts: Contacts | AsyncIterable[Mapping[str, object]],
    idempotency_key: str | None,
    on_progress: Callable[[SentCampaign], object] | None,
) -> Flow[SentCampaign]:
    """Sends a notification to any number of contacts, a hundred per request, one request after the other."""
    key = idempotency_key or uuid.uuid4().hex
    source = contacts.__aiter__() if isinstance(contacts, AsyncIterable) else iter(contacts)
    contact = yield Next(source)
    if contact is END:
        raise ValueError("contacts: expected at least one")
    sent: SentCampaign | None = None
    count = 0
    while contact is not END:
        batch: list[Any] = []
        # One contact is read ahead: the last request has to say that it is the last.
        while contact is not END and len(batch) < _MAX_CONTACTS_PER_REQUEST:
            batch.append(contact)
            contact = yield Next(source)
        count += 1
        request = build_request(
            settings,
            operations.SEND_NOTIFICATION,
            query={
                "details": True,
                "campaign_id": sent.campaign_id if sent else None,
                "more": None if contact is END else True,
            },
            headers={"Idempotency-Key": f"{key}-{count}"},
            body={**notification, "contacts": batch},
        )
        accepted: Any = yield from call(operations.SEND_NOTIFICATION, request)
        sent = sent or SentCampaign(accepted["inquiry_set_id"])
        sent.add(accepted)
        if on_progress:
            on_progress(sent)
    assert sent is not None
    return sent


def wait_for_campaign(settings: Settings, campaign_id: str, until: Until, timeout: float) -> Flow[types.CampaignStatus]:
    """Polls a campaign's status until it is what `until` asks for: at first often, then every five seconds.

    A cancelled campaign ends every wait for a status, because it takes no other one.
    """
    end = time.monotonic() + timeout
    poll = _FIRST_POLL_S
    while True:
        request = build_request(settings, operations.GET_CAMPAIGN_STATUS, query={"campaign_id": campaign_id})
        campaign = yield from call(operations.GET_CAMPAIGN_STATUS, request)
        status = campaign["status"]
        if until(campaign) if callable(until) else status in (until, "cancelled"):
            return campaign
        if time.monotonic() + poll >= end:
            message = f"The campaign is still {status!r} after {timeout:g} s"
            raise WaitTimedOutError(message, details=campaign)
        yield Pause(poll)
        poll = min(poll * 1.5, _MAX_POLL_S)
