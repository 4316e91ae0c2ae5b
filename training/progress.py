"""Progress lines of long steps."""

from __future__ import annotations

import time
from collections.abc import Callable


def log(*parts: object) -> None:
    """Prints a line with the time of day."""
    print(time.strftime("[%H:%M:%S]"), *parts, flush=True)


def every(seconds: float) -> Callable[[], bool]:
    """A test that is true at most once in so many seconds."""
    last = time.time()

    def due() -> bool:
        nonlocal last
        if time.time() - last < seconds:
            return False
        last = time.time()
        return True

    return due
