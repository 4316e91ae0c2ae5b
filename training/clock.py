"""How far a run is: by steps, or by seconds on a machine that is lent by the minute."""

from __future__ import annotations

import time
from collections.abc import Callable

import torch


class Clock:
    """The share of a run that is done. Compilation in the first steps does not count."""

    UNTIMED_STEPS = 6

    def __init__(self, seconds: float | None, steps: int | None) -> None:
        if (seconds is None) == (steps is None):
            raise ValueError("give either seconds or steps")
        self.seconds, self.steps = seconds, steps
        self.step = 0
        self.started = time.time()
        self.timed_from = self.started

    def tick(self) -> None:
        self.step += 1
        if self.step == self.UNTIMED_STEPS:
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            self.timed_from = time.time()

    def done(self) -> float:
        if self.steps is not None:
            return self.step / self.steps
        if self.step < self.UNTIMED_STEPS:
            return 0.0
        return (time.time() - self.timed_from) / self.seconds


def every(seconds: float) -> Callable[[], bool]:
    """A test that is true at most once in so many seconds (for log lines)."""
    last = time.time()

    def due() -> bool:
        nonlocal last
        if time.time() - last < seconds:
            return False
        last = time.time()
        return True

    return due


def log(*parts: object) -> None:
    print(time.strftime("[%H:%M:%S]"), *parts, flush=True)
