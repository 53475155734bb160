"""The client of outbound: WhatsApp notifications, campaigns and AI calls.

`Outbound` and `AsyncOutbound` hold the address, the credential and the rules for retries; every operation of the API is
a method of one of their resources.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

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
from .generated.version import VERSION as __version__

if TYPE_CHECKING:
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
    "__version__",
    "types",
    "verify_webhook",
]


def __getattr__(name: str) -> ModuleType:
    """Loads `types` when a program asks for them: the client needs none of these classes to work."""
    if name == "types":
        return importlib.import_module(".generated.types", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
