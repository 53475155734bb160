"""Responses that refuse a request, as errors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

from ._errors import (
    ConflictError,
    ForbiddenError,
    NotFoundError,
    OutboundError,
    RateLimitExceededError,
    ServerError,
    UnauthorizedError,
    ValidationFailedError,
)

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
