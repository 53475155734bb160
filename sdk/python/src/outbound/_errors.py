"""What can go wrong with a request, as exceptions."""

from __future__ import annotations

from typing import Any, ClassVar


class OutboundError(Exception):
    """Every failure of a request: a refusal of the service, or no response at all.

    `status` is the HTTP status, 0 where no response came. `code` is one of docs/errors.md, or one of the client's own.
    `field` is the field at fault, where the service names it. Quote `request_id` when you ask for help. `retry_after` is
    how long to wait before the next attempt, in seconds, where the service said so.
    """

    own_code: ClassVar[str] = ""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str | None = None,
        details: Any = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = self.own_code if code is None else code
        self.details = details
        self.request_id = request_id
        self.retry_after = retry_after

    @property
    def field(self) -> str | None:
        """The field at fault."""
        field = self.details.get("field") if isinstance(self.details, dict) else None
        return field if isinstance(field, str) else None


class ConnectionFailedError(OutboundError):
    """The service could not be reached, or the connection broke."""

    own_code = "connection_failed"


class TimedOutError(OutboundError):
    """No response came in time."""

    own_code = "timed_out"


class InvalidResponseError(OutboundError):
    """The response is not what the API document describes."""

    own_code = "invalid_response"


class WaitTimedOutError(OutboundError):
    """`wait_for_campaign` reached its limit; `details` is the campaign's status."""

    own_code = "wait_timed_out"


class InvalidSignatureError(OutboundError):
    """`verify_webhook` refused a request."""

    own_code = "invalid_signature"


class ValidationFailedError(OutboundError):
    """400: correct `field`."""


class UnauthorizedError(OutboundError):
    """401: check the key, or log in again."""


class ForbiddenError(OutboundError):
    """403: ask for the permission."""


class NotFoundError(OutboundError):
    """404."""


class ConflictError(OutboundError):
    """409: `code` says with what."""


class RateLimitExceededError(OutboundError):
    """429: over the rate (`rate_limit_exceeded`) or over a quota (`quota_exceeded`)."""


class ServerError(OutboundError):
    """500 and above."""
