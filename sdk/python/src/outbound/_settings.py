"""Where the service is, who asks, and for how long to retry."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Union
from urllib.parse import urlsplit

BASE_URL_VARIABLE = "OUTBOUND_BASE_URL"
ACCESS_KEY_VARIABLE = "OUTBOUND_API_KEY"

Token = Union[str, Callable[[], str], Callable[[], Awaitable[str]]]


@dataclass(frozen=True)
class Limits:
    """The limits of a request: seconds per attempt, attempts after the first one, and seconds for all of them."""

    timeout: float = 30.0
    retries: int = 4
    total_timeout: float = 120.0

    def __post_init__(self) -> None:
        for name in ("timeout", "retries", "total_timeout"):
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or not value >= 0:
                raise ValueError(f"{name}: expected a number from 0, got {value!r}")


@dataclass(frozen=True)
class Settings:
    """What all requests of a client have in common."""

    base_url: str
    credential: Token | None = field(repr=False)
    limits: Limits


def read_settings(
    base_url: str | None,
    access_key: str | None,
    token: Token | None,
    limits: Limits,
) -> Settings:
    """Checks the options of a client; what is left out comes from the environment."""
    if access_key is not None and token is not None:
        raise ValueError("access_key and token: give one of them, and make a client for each")
    credential = access_key if token is None else token
    if credential is None:
        credential = os.environ.get(ACCESS_KEY_VARIABLE) or None
    return Settings(_read_base_url(base_url or os.environ.get(BASE_URL_VARIABLE)), credential, limits)


def _read_base_url(text: str | None) -> str:
    if not text:
        raise ValueError(f"base_url: give the address of the API, or set {BASE_URL_VARIABLE}")
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment:
        raise ValueError(f"base_url: expected a URL such as https://api.example.com/functions/v1, got {text!r}")
    return text.rstrip("/")
