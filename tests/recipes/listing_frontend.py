"""A frontend that lists models, as far as a wait for one asks it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask

from tests.support.loopback import served

MODEL = "openai/gpt-oss-120b"
LISTED = json.dumps({"object": "list", "data": [{"id": MODEL}]}).encode()
EMPTY = json.dumps({"object": "list", "data": []}).encode()


@contextmanager
def listing_frontend(*answers: tuple[int, bytes]) -> Iterator[str]:
    """One that gives these answers one after the other, and the last one again; the value is what to ask."""
    application = Flask(__name__)
    left = list(answers)

    @application.get("/v1/models")
    def models() -> tuple[bytes, int]:
        status, body = left.pop(0) if len(left) > 1 else left[0]
        return body, status

    with served(application) as address:
        yield f"{address}/v1/models"
