"""What a person types after --url, --model and --api-key-from, before anything is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from operations.smoke.address import parse_url, published_model

if TYPE_CHECKING:
    from tests.cli.command import Command


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://localhost:8000", "http://localhost:8000"),
        ("https://models.example.com/", "https://models.example.com"),
        ("http://localhost:8000/v1/", "http://localhost:8000"),
        ("http://localhost:8000/v1/chat/completions", "http://localhost:8000"),
        ("http://localhost:8000/health", "http://localhost:8000"),
        ("https://gateway.example.com/gpt-oss/v1", "https://gateway.example.com/gpt-oss"),
        ("http://[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_a_url_ends_before_v1_however_much_of_it_is_typed(text: str, url: str) -> None:
    assert parse_url(text) == url


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("localhost:8000", "try: --url http://localhost:8000"),
        ("ftp://models", "try: --url http://models"),
        ("", "try: --url http://localhost:8000"),
        ("http://", "is no URL of HTTP"),
        ("http://host:99999", "has no host, or no port from 1 to 65535"),
        ("http://host:port", "has no host, or no port from 1 to 65535"),
        ("http://ho st:1", "has no host, or no port from 1 to 65535"),
        ("http://:8000", "has no host, or no port from 1 to 65535"),
        ("http://host/v1?key=1", "try: --url http://host/v1"),
        ("http://[::1", "has no host"),
    ],
)
def test_what_is_no_url_ends_before_anything_is_asked(text: str, said: str, command: Command) -> None:
    answer = command("smoke", "--url", text)
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err
    assert "Traceback" not in answer.err


def test_credentials_in_a_url_are_refused_and_not_repeated(command: Command) -> None:
    answer = command("smoke", "--url", "http://user:hidden@host:1")
    assert (answer.code, answer.out) == (2, "")
    assert "try: --api-key-from VARIABLE" in answer.err
    assert "hidden" not in answer.err


@pytest.mark.parametrize("value", [None, "", "  ", "Bearer sk-hidden", "sk-\nhidden", "schlüssel-hidden"])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(
    value: str | None, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GATEWAY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("GATEWAY_KEY", value)
    answer = command("smoke", "--url", "http://127.0.0.1:9", "--api-key-from", "GATEWAY_KEY")
    assert (answer.code, answer.out) == (2, "")
    assert "--api-key-from GATEWAY_KEY: " in answer.err
    assert "hidden" not in answer.err


def test_a_stack_or_a_url_is_asked(command: Command) -> None:
    answer = command("smoke")
    assert (answer.code, answer.out) == (2, "")
    assert "give a STACK, a --url URL, or both" in answer.err


def test_the_model_is_that_of_most_recipes() -> None:
    assert published_model() == "openai/gpt-oss-120b"
