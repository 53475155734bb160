"""What can go wrong with a request, as exceptions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
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


_CLASSES: dict[int, tuple[type[OutboundError], str]] = {
    400: (ValidationFailedError, "validation_failed"),
    401: (UnauthorizedError, "unauthorized"),
    403: (ForbiddenError, "forbidden"),
    404: (NotFoundError, "not_found"),
    409: (ConflictError, "http_409"),
    429: (RateLimitExceededError, "rate_limit_exceeded"),
    500: (ServerError, "internal_error"),
}


def error_of_response(status: int, headers: Mapping[str, str], content: bytes) -> OutboundError:
    """Makes the error of a refused request."""
    body = _read_object(content)
    code, message, request_id = body.pop("error", None), body.pop("message", None), body.pop("request_id", None)
    retry_after = read_retry_after(headers.get("Retry-After"))
    after = body.pop("retry_after", None)
    if retry_after is None and isinstance(after, (int, float)):
        retry_after = float(after)
    body.pop("success", None)
    kind, default = _CLASSES.get(status, (ServerError if status >= 500 else OutboundError, f"http_{status}"))
    return kind(
        message if isinstance(message, str) else f"The service responded with {status}",
        status=status,
        code=code if isinstance(code, str) else default,
        details=body.pop("details", None) or body or None,
        request_id=headers.get("X-Request-Id") or (request_id if isinstance(request_id, str) else None),
        retry_after=retry_after,
    )


def _read_object(content: bytes) -> dict[str, Any]:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def read_retry_after(text: str | None) -> float | None:
    """The `Retry-After` of a response in seconds; it may be a number or a date."""
    text = (text or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())
