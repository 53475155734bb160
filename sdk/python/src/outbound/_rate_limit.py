"""The rate of an access key, as responses report it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RateLimit:
    """How many requests a key may make per window, how many are left, and in how many seconds all are back."""

    limit: int
    remaining: int
    reset: int


def read_rate_limit(headers: Mapping[str, str]) -> RateLimit | None:
    """Reads `RateLimit` and `RateLimit-Policy`; None where the response has none."""
    values = [
        _parameter(headers.get("RateLimit-Policy"), "q"),
        _parameter(headers.get("RateLimit"), "r"),
        _parameter(headers.get("RateLimit"), "t"),
    ]
    limit, remaining, reset = values
    if limit is None or remaining is None or reset is None:
        return None
    return RateLimit(limit, remaining, reset)


def _parameter(text: str | None, name: str) -> int | None:
    found = re.search(rf";\s*{name}=(\d{{1,15}})", text or "", re.ASCII)
    return int(found[1]) if found else None
