"""Operations of the API, and the requests that they become: plain data, without any I/O."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar
from urllib.parse import quote

from ._settings import ACCESS_KEY_VARIABLE, Limits, Settings

T = TypeVar("T")


class RequestOptions(TypedDict, total=False):
    """What a single operation does otherwise than its client."""

    timeout: float
    retries: int
    total_timeout: float
    headers: Mapping[str, str]


class ServerEvent(NamedTuple):
    """A server-sent event; without `type` and `data` it only moves the last id."""

    type: str
    data: str
    id: str | None


@dataclass(frozen=True)
class Operation(Generic[T]):
    """An operation of the API, which responds with a `T`.

    `takes_key`: with an `Idempotency-Key`. `repeatable`: does the same when it arrives twice. `json`: responds with
    JSON, and else with bytes.
    """

    method: str
    path: str
    takes_key: bool = False
    repeatable: bool = False
    needs_credential: bool = False
    json: bool = False


@dataclass(frozen=True)
class Request:
    """A request that can be sent any number of times."""

    method: str
    url: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes | None
    repeatable: bool
    limits: Limits


def build_request(
    settings: Settings,
    operation: Operation[Any],
    *,
    path: Mapping[str, str] | None = None,
    query: Mapping[str, Any] | None = None,
    headers: Mapping[str, str | None] | None = None,
    body: Any = None,
    options: RequestOptions | None = None,
) -> Request:
    """Makes the request of an operation; every attempt sends the same `Idempotency-Key`."""
    options = options or {}
    sent = {name: value for name, value in (headers or {}).items() if value is not None}
    sent.update(options.get("headers", {}))
    names = {name.lower() for name in sent}
    if operation.needs_credential and settings.credential is None and "authorization" not in names:
        raise ValueError(f"access_key: give an access key or a token, or set {ACCESS_KEY_VARIABLE}")
    if operation.takes_key and "idempotency-key" not in names:
        sent["Idempotency-Key"] = uuid.uuid4().hex
        names.add("idempotency-key")
    content = _encode(body)
    if content is not None and "content-type" not in names:
        sent["Content-Type"] = "application/json"
    if operation.json and "accept" not in names:
        sent["Accept"] = "application/json"
    for name, value in sent.items():
        check_header(name, value)
    return Request(
        operation.method,
        settings.base_url + _fill(operation.path, path or {}),
        {name: _as_text(value) for name, value in (query or {}).items() if value is not None},
        sent,
        content,
        operation.repeatable or "idempotency-key" in names or _has_message_id(body),
        replace(settings.limits, **{name: options[name] for name in _LIMITS if name in options}),  # type: ignore[literal-required]
    )


_LIMITS = ("timeout", "retries", "total_timeout")


def check_header(name: str, value: str) -> None:
    """Raises `ValueError` for what no header may hold. It does not show the value, which may be a secret."""
    if not (value.isascii() and value.isprintable() and value == value.strip()):
        raise ValueError(f"{name}: expected printable ASCII characters, and no space around them")


def _fill(path: str, values: Mapping[str, str]) -> str:
    """Puts values into a path. Dots alone would lead to another path."""
    for name, value in values.items():
        if value in ("", ".", ".."):
            raise ValueError(f"{name}: expected an id, got {value!r}")
        path = path.replace(f"{{{name}}}", quote(value, safe=""))
    return path


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _encode(body: Any) -> bytes | None:
    if body is None or isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode()
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _has_message_id(body: Any) -> bool:
    """Messages of a conversation name themselves, so that a second one is not stored."""
    return isinstance(body, Mapping) and isinstance(body.get("client_message_id"), str)
