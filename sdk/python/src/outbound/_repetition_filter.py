"""Leaves out events that arrive a second time after a reconnection."""

from __future__ import annotations

import json
from typing import Any

# Subjects that are remembered; those that changed longest ago are forgotten first.
_MAX_SUBJECTS = 1000


class RepetitionFilter:
    """Says whether an event is news: not the last event of its subject once more, and not a second `ready`."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def __call__(self, event: dict[str, Any]) -> bool:
        kind, data = event["type"], event["data"]
        if kind == "reset":
            return True
        # The first field of an event's data is the id of what changed.
        subject = f"{kind} {next(iter(data.values()), '')} {data.get('attempt', '')}"
        text = json.dumps(data)
        if self._seen.pop(subject, None) == text:
            self._seen[subject] = text
            return False
        self._seen[subject] = text
        if len(self._seen) > _MAX_SUBJECTS:
            del self._seen[next(iter(self._seen))]
        return True
