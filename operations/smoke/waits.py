"""Looks again and again, less and less often, until all is there or the time is over."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from operations.document import Verdict
from operations.smoke.client import Answer, Frontend, NoAnswer
from operations.smoke.registration import Registration, Role, judge_listings

_FIRST_PAUSE_SECONDS = 0.25
_LONGEST_PAUSE_SECONDS = 5.0
_LONGEST_LISTING_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait."""

    listing_seconds: float
    """Until model and workers are listed."""
    answer_seconds: float
    """Until one answer has ended."""


def wait_until_registered(
    frontend: Frontend, model: str, roles: Sequence[Role], patience: Patience, say: Callable[[str], None]
) -> Registration:
    """Return the last look: the first one in which nothing is wrong, or the one at the end of the time.

    `say` gets what is still missing, each time that it has changed.
    """
    end = time.monotonic() + patience.listing_seconds
    pause = _FIRST_PAUSE_SECONDS
    last = ""
    while True:
        found = judge_listings(_asked(frontend, "/health"), _asked(frontend, "/v1/models"), model, roles)
        left = max(end - time.monotonic(), 0)
        if found.is_over or not left:
            return found
        findings = (found.frontend, found.workers, found.model)
        missing = "; ".join(each.found for each in findings if each.verdict is Verdict.WRONG)
        if missing != last:
            say(f"waiting, at most {math.ceil(left)} s more: {missing}")
            last = missing
        time.sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


def _asked(frontend: Frontend, path: str) -> Answer | str:
    try:
        return frontend.get(path, seconds=_LONGEST_LISTING_SECONDS)
    except NoAnswer as error:
        return str(error)
