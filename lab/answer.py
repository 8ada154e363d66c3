"""Asks the lab's model something: the proof that the pods behind a graph serve."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Mapping

QUESTION = "What does a compute domain share?"
TOKENS = 16
_SECONDS = 60.0
_ASK_SECONDS = 10.0
_PAUSE_SECONDS = 0.25


@dataclass(frozen=True)
class Answer:
    """One answered request."""

    url: str
    model: str
    body: Mapping[str, Any]


def first_answer(url: str, seconds: float = _SECONDS) -> Answer:
    """Wait until the frontend at this address lists a model, and ask the model a question.

    Raises:
        LabError: no answer within the time; the text says what came instead.

    """
    deadline = time.monotonic() + seconds
    said = "nothing answers there"
    while time.monotonic() < deadline:
        try:
            models = _read(f"{url}/v1/models")["data"]
            if models:
                model = models[0]["id"]
                body = _read(f"{url}/v1/chat/completions", request_body(model))
                return Answer(url, model, body)
            said = "it lists no model: no worker has registered"
        except urllib.error.HTTPError as error:
            said = f"HTTP {error.code}: {error.read(500).decode(errors='replace')}"
        except (OSError, ValueError, KeyError) as error:
            said = str(error)
        time.sleep(_PAUSE_SECONDS)
    raise LabError(f"the frontend at {url} gave no answer within {seconds:.0f} s: {said}")


def request_body(model: str) -> dict[str, Any]:
    """Return the request that is asked, for a person who asks it again."""
    return {"model": model, "messages": [{"role": "user", "content": QUESTION}], "max_tokens": TOKENS}


def _read(url: str, body: Mapping[str, Any] | None = None) -> Any:
    request = urllib.request.Request(  # noqa: S310 - the lab's own address
        url,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=_ASK_SECONDS) as answer:  # noqa: S310 - as above
        return json.loads(answer.read())
