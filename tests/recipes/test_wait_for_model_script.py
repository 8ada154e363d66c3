"""How long the benchmark waits for the model, and what it says when it gives up."""

import subprocess
import sys

import pytest

from recipes import wait_for_model_script
from tests.recipes.listing_frontend import EMPTY, LISTED, MODEL, listing_frontend


def _wait(url: str, *, attempts: int = 5) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, wait_for_model_script.__file__],
        env={
            "MODELS_URL": url,
            "SERVED_MODEL_NAME": MODEL,
            "WAIT_ATTEMPTS": str(attempts),
            "WAIT_SECONDS": "0.01",
        },
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_the_wait_ends_as_soon_as_the_model_is_listed() -> None:
    with listing_frontend((503, b""), (200, b"no JSON"), (200, EMPTY), (200, LISTED)) as url:
        answer = _wait(url)
    assert (answer.returncode, answer.stdout) == (0, f"{url} lists {MODEL}\n")


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, EMPTY, "last answer: no models"),
        (200, b'{"data": [{"id": "other"}]}', "last answer: other"),
        (500, b"", "HTTPError"),
    ],
)
def test_the_wait_gives_up_and_says_what_it_saw(status: int, body: bytes, said: str) -> None:
    with listing_frontend((status, body)) as url:
        answer = _wait(url, attempts=2)
    assert answer.returncode == 1
    assert f"{url} never listed {MODEL} in 2 attempts" in answer.stderr
    assert said in answer.stderr


def test_the_wait_gives_up_on_a_frontend_that_is_not_there() -> None:
    answer = _wait("http://127.0.0.1:1/v1/models", attempts=2)
    assert answer.returncode == 1
    assert "Connection refused" in answer.stderr
