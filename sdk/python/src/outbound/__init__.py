"""The client of outbound: WhatsApp notifications, campaigns and AI calls.

`Outbound` and `AsyncOutbound` hold the address, the credential and the rules for retries; every operation of the API is
a method of one of their resources.
"""

from ._async_client import AsyncOutbound
from ._campaigns import SentCampaign
from ._client import Outbound
from ._errors import (
    ConflictError,
    ConnectionFailedError,
    ForbiddenError,
    InvalidResponseError,
    InvalidSignatureError,
    NotFoundError,
    OutboundError,
    RateLimitExceededError,
    ServerError,
    TimedOutError,
    UnauthorizedError,
    ValidationFailedError,
    WaitTimedOutError,
)
from ._following import FollowedEvent, StreamMark
from ._operation import RequestOptions, ServerEvent
from ._rate_limit import RateLimit
from ._webhooks import verify_webhook
from .generated import types

__all__ = [
    "AsyncOutbound",
    "ConflictError",
    "ConnectionFailedError",
    "FollowedEvent",
    "ForbiddenError",
    "InvalidResponseError",
    "InvalidSignatureError",
    "NotFoundError",
    "Outbound",
    "OutboundError",
    "RateLimit",
    "RateLimitExceededError",
    "RequestOptions",
    "SentCampaign",
    "ServerError",
    "ServerEvent",
    "StreamMark",
    "TimedOutError",
    "UnauthorizedError",
    "ValidationFailedError",
    "WaitTimedOutError",
    "types",
    "verify_webhook",
]
