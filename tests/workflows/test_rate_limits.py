"""What the scripts do when GitHub asks for a pause, or says no; both ask GitHub by the same functions."""

import time

import pytest

from tests.workflows.fake_github import PULL, PreviewRun, Refusal

SECONDARY = "You have exceeded a secondary rate limit."
FORBIDDEN = "Resource not accessible by integration"


@pytest.fixture(autouse=True)
def text(preview: PreviewRun) -> None:
    preview.uploads("text")


@pytest.mark.parametrize(
    ("refusals", "pauses"),
    [
        pytest.param([Refusal("POST", "/comments", 403, {"Retry-After": "17"})], (17,), id="asked for"),
        pytest.param([Refusal("POST", "/comments", 429)], (60,), id="too many requests"),
        pytest.param([Refusal("POST", "/comments", 403, words=SECONDARY)], (60,), id="secondary limit"),
        pytest.param([Refusal("POST", "/comments", 403, {"Retry-After": "30"}, SECONDARY)], (30,), id="both"),
        pytest.param([Refusal("GET", "/comments", 502)], (2,), id="a server that is ill"),
        pytest.param(
            [Refusal("GET", "/comments", 429, {"Retry-After": "17"}) for _ in range(2)],
            (17, 34),
            id="doubled by a second refusal",
        ),
    ],
)
def test_the_pause_is_the_one_that_github_documents(
    preview: PreviewRun, refusals: list[Refusal], pauses: tuple[float, ...]
) -> None:
    preview.github.refusals.extend(refusals)
    ended = preview.comments()
    assert (ended.code, ended.pauses) == (0, pauses)
    assert len(preview.bodies) == 1


def test_a_used_up_hour_is_waited_for_until_it_ends(preview: PreviewRun) -> None:
    reset = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 300)}
    preview.github.refusals.append(Refusal("GET", "/comments", 403, reset))
    ended = preview.comments()
    [pause] = ended.pauses
    assert ended.code == 0
    assert 200 < pause <= 300


def test_after_a_pause_nothing_is_written_that_has_become_old(preview: PreviewRun) -> None:
    def push() -> None:
        preview.github.pulls[PULL]["head"]["sha"] = "2e" * 20

    refusal = Refusal("POST", "/comments", 403, {"Retry-After": "0"}, meanwhile=push)
    preview.github.refusals.append(refusal)
    ended = preview.comments()
    assert (ended.code, preview.bodies) == (0, [])
    assert "it has newer commits" in ended.log


def test_a_pause_that_is_too_long_ends_the_job_with_what_to_do(preview: PreviewRun) -> None:
    preview.github.refusals.append(Refusal("POST", "/comments", 403, {"Retry-After": "3600"}))
    ended = preview.comments()
    assert ended.code == 1
    assert ended.log.endswith("The next try is due in 3600 s; run this job again then.\n")
    assert "Traceback" not in ended.log


def test_a_refusal_that_never_ends_ends_the_job(preview: PreviewRun) -> None:
    again = [Refusal("POST", "/comments", 403, {"Retry-After": "0"}) for _ in range(20)]
    preview.github.refusals.extend(again)
    ended = preview.comments()
    assert (ended.code, ended.log) == (1, "GitHub did not answer 8 times; run this job again.\n")
    assert len(preview.github.sent("POST")) == 8


@pytest.mark.parametrize(
    ("status", "headers", "words"),
    [
        (403, {}, FORBIDDEN),
        (403, {"X-RateLimit-Remaining": "4999"}, FORBIDDEN),
        (422, {}, "Validation Failed"),
    ],
    ids=["no permission", "no permission within the limit", "not valid"],
)
def test_what_no_pause_would_change_is_said_at_once(
    preview: PreviewRun, status: int, headers: dict[str, str], words: str
) -> None:
    preview.github.refusals.append(Refusal("POST", "/comments", status, headers, words))
    ended = preview.comments()
    assert (ended.code, ended.pauses) == (1, ())
    assert f"/issues/{PULL}/comments was answered {status}" in ended.log
    assert words in ended.log
    assert len(preview.github.sent("POST")) == 1


def test_an_answer_that_is_lost_makes_no_second_comment(preview: PreviewRun) -> None:
    def write() -> None:
        preview.github.comment(PULL, "<!-- dynamo-stack preview: run 500 attempt 1 -->\n")

    preview.github.refusals.append(Refusal("POST", "/comments", 502, meanwhile=write))
    assert preview.comments().code == 0
    [body] = preview.bodies
    assert body.endswith("text")
