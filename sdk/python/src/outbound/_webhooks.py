"""Receiving the service's webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from ._errors import InvalidSignatureError

if TYPE_CHECKING:
    from .generated.types import WebhookEvent

_MAX_AGE_S = 300


def verify_webhook(body: bytes | str, headers: Mapping[str, str], secret: str) -> WebhookEvent:
    """Checks the signature and the age of a webhook request and returns its event.

    An event may come twice: keep the `webhook-id` headers that you handled.

    Args:
        body: exactly as it came
        secret: the webhook's, with its `whsec_`

    Raises:
        InvalidSignatureError: the request is not to be trusted
    """
    content = body.encode() if isinstance(body, str) else body
    given = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not (message_id and timestamp.isascii() and timestamp.isdigit() and len(timestamp) < 16):
        raise InvalidSignatureError("The request is not signed: webhook-id or webhook-timestamp is missing")
    if abs(time.time() - int(timestamp)) > _MAX_AGE_S:
        raise InvalidSignatureError("The request was signed over five minutes ago, or the clock of this machine is wrong")
    signed = f"{message_id}.{timestamp}.".encode() + content
    digest = hmac.new(_key_of(secret), signed, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    signatures = given.get("webhook-signature", "").encode().split(b" ")
    # Each is compared, so that the time says nothing about which one fits.
    if not any([hmac.compare_digest(signature, expected) for signature in signatures]):
        raise InvalidSignatureError("The request is not signed with this secret")
    try:
        return cast("WebhookEvent", json.loads(content))
    except ValueError as error:
        raise InvalidSignatureError("The body of the request is no event") from error


def _key_of(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise InvalidSignatureError("secret: expected that of the webhook, 'whsec_' and base64")
    return key
