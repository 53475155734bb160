"""The rate of an access key, as responses report it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RateLimit:
    """The rate of an access key: its requests per window, how many are left, and in how many seconds all are back."""

    limit: int
    remaining: int
    reset_s: int


def read_rate_limit(headers: Mapping[str, str]) -> RateLimit | None:
    """Reads `RateLimit` and `RateLimit-Policy`; None where the response has none."""
    limit = _parameter(headers.get("RateLimit-Policy"), "q")
    remaining = _parameter(headers.get("RateLimit"), "r")
    reset_s = _parameter(headers.get("RateLimit"), "t")
    if limit is None or remaining is None or reset_s is None:
        return None
    return RateLimit(limit, remaining, reset_s)


def _parameter(text: str | None, name: str) -> int | None:
    found = re.search(rf";\s*{name}=(\d{{1,15}})", text or "", re.ASCII)
    return int(found[1]) if found else None
