"""How many requests a key may still send."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from kb.keys import ApiKey

_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a key has left.

    Attributes:
        limit: requests a minute.
        remaining: that may be sent now.
        reset_s: until all of them may be sent again.
        retry_after_s: until the next one may be sent; `None` if this one was allowed.
    """

    limit: int
    remaining: int
    reset_s: float
    retry_after_s: float | None = None

    def headers(self) -> dict[str, str]:
        """As OpenAI's clients and ours read them."""
        return {
            "x-ratelimit-limit-requests": str(self.limit),
            "x-ratelimit-remaining-requests": str(self.remaining),
            "x-ratelimit-reset-requests": f"{math.ceil(self.reset_s)}s",
        }


class RateLimits:
    """Counts for one process; several processes each allow the whole rate.

    A key may send its minute's requests at once and then one each time that its rate allows: a bucket that fills
    steadily, so that there is no rush at the turn of a minute.

    Args:
        now: seconds of a clock that never goes back.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, key: ApiKey) -> Allowance | None:
        """Count one request of a key; `None` for a key without a limit."""
        limit = key.requests_per_minute
        if limit is None:
            return None
        now = self._now()
        left, since = self._left.get(key.key_id, (float(limit), now))
        a_second = limit / _MINUTE_S
        left = min(float(limit), left + (now - since) * a_second)
        is_allowed = left >= 1.0
        left -= 1.0 if is_allowed else 0.0
        self._left[key.key_id] = (left, now)
        retry_after_s = None if is_allowed else (1.0 - left) / a_second
        return Allowance(limit, int(left), (limit - left) / a_second, retry_after_s)
