"""What is refused after `dynamo-stack bench` before anything is asked or sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cli.command import squeezed

if TYPE_CHECKING:
    from tests.cli.command import Command

URL = ("--url", "http://127.0.0.1:9")
WHOLE = (*URL, "--shape", "128/1000", "--concurrency", "4")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param((), "give one STACK, or --url URL", id="nothing"),
        pytest.param(
            ("dev", *URL, "--recipe", "gpt-oss-120b/vllm-agg"), "--recipe: goes with --url alone", id="both"
        ),
        pytest.param(
            (*URL, "--recipe", "gpt-oss-120b/vllm-ag"), "; try gpt-oss-120b/vllm-agg", id="no such recipe"
        ),
        pytest.param(URL, "--shape: is needed with --url, unless a STACK or --recipe", id="no shape"),
        pytest.param((*URL, "--shape", "9/9"), "--concurrency: is needed with --url", id="no concurrency"),
        pytest.param(
            ("--url", "127.0.0.1:8000", *WHOLE[2:]),
            "'127.0.0.1:8000' is not an address such as http://127.0.0.1:8000, without a path",
            id="no scheme",
        ),
        pytest.param(
            ("--url", "http://host:8000/v1", *WHOLE[2:]), "'http://host:8000/v1' is not an address", id="path"
        ),
        pytest.param(
            ("--url", "http://me:word@host", *WHOLE[2:]),
            "holds a name or a password, which results would show",
            id="password",
        ),
        pytest.param((*WHOLE, "--from-here"), "--from-here: goes with a STACK", id="from here"),
        pytest.param((*WHOLE, "--mock", "--gpus", "4"), "--gpus: a mock engine has no GPU", id="mock GPUs"),
        pytest.param(
            (*WHOLE, "--mock", "--record"), "goes with a STACK that a real engine serves", id="mock record"
        ),
        pytest.param((*WHOLE, "--gpus", "four"), "'four' is not a number, such as 4 or 4xGB200", id="GPUs"),
        pytest.param((*WHOLE, "--gpus", "4xGB20"), "'GB20' is not one of B200, GB200", id="kind of GPU"),
        pytest.param(
            (*WHOLE, "--requests", "3"), "3 requests cannot keep 4 open: give 4 or more", id="few requests"
        ),
        pytest.param(("dev", "--mock"), "--mock: goes with --url; the stack says it", id="mock of a stack"),
        pytest.param(
            ("dev", "--tokenizer", "x"),
            "--tokenizer: goes with --from-here; the Job brings its own",
            id="tokenizer of a Job",
        ),
        pytest.param(
            ("dev", "--shape", "128x1000"),
            "'128x1000' is not tokens in and tokens out, such as 128/1000, 8192/1024, 32000/256, 1000/2000, "
            "nor all; try 128/1000",
            id="shape",
        ),
        pytest.param(
            ("dev", "--shape", "all", "--shape", "9/9"), "all are all of them: leave the others", id="all"
        ),
        pytest.param(
            ("dev", "--concurrency", "0"), "should be greater than or equal to 1", id="no requests at once"
        ),
    ],
)
def test_a_contradiction_is_named_with_its_option(
    command: Command, words: tuple[str, ...], said: str
) -> None:
    answer = command("bench", *words)
    assert (answer.code, answer.out) == (2, "")
    plain = squeezed(answer.err.replace("│", " ").replace("'--", "--").replace("':", ":"))
    assert said in plain
