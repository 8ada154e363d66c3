"""Marks stand where secrets were: in any text, and in the resources of a recording."""

from typing import Any

import pytest

from comparison.secret_marks import mark_of, marked, names_a_secret, without_secrets
from resource_graph import UNKNOWN, Resource

HUB = "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwX"
ACCESS_KEY = "AKIA" + "IOSFODNN7EXAMPLE"
WEB_TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r"
KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"the token is {HUB}, revoke it", HUB),
        (f"--token={HUB}", HUB),
        (f"key {ACCESS_KEY} of the account", ACCESS_KEY),
        ("ghp_" + 36 * "a", "ghp_" + 36 * "a"),
        ("glpat-" + 20 * "b", "glpat-" + 20 * "b"),
        ("nvapi-" + 40 * "c", "nvapi-" + 40 * "c"),
        (f"Authorization: Bearer {WEB_TOKEN}", WEB_TOKEN),
        ("curl -H 'Authorization: Basic dXNlcjpwYXNzd29yZDEy'", "dXNlcjpwYXNzd29yZDEy"),
        (f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}\n-----END RSA PRIVATE KEY-----", KEY),
        (f"-----BEGIN PRIVATE KEY-----\n{KEY}", KEY),
        ("nats://reader:p4ss-w(rd@nats:4222", "p4ss-w(rd"),
        ("password: correct-horse", "correct-horse"),
        ('{"password": "a $b (c), d"}', "a $b (c), d"),
        ("export DB_PASSWORD='two words'", "two words"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI/K7MDENG"),
        ("serve --api-key letmein99 --port 8000", "letmein99"),
        ("hubToken: letmein99", "letmein99"),
        ("    client-key-data: TFMwdExTMUNSVWRKVGc9PQ==", "TFMwdExTMUNSVWRKVGc9PQ=="),
    ],
)
def test_a_mark_stands_for_what_looks_like_a_secret(text: str, secret: str) -> None:
    shown = without_secrets(text)
    assert secret not in shown
    assert "[secret " in shown


@pytest.mark.parametrize(
    "text",
    [
        "max_num_tokens: 8192",
        "--tokenizer openai/gpt-oss-120b",
        "token: $HF_TOKEN",
        "password: ${PASSWORD}",
        '{"key": "HF_TOKEN", "name": "hf-token"}',
        "token_file=/run/secrets/token",
        "token=/run/secrets/token",
        "nats://nats.dynamo-system.svc:4222",
        "https://huggingface.co/openai/gpt-oss-120b@main",
        "secretName: hf-token-secret",
        "sha256:0b3e8b1a4f5e405e31e2ff33de8af4744831e9f7338539671efbd8c3c94e791d",
    ],
)
def test_what_is_no_secret_stays_as_it_is(text: str) -> None:
    assert without_secrets(text) == text


def test_another_secret_is_another_mark_and_the_same_one_the_same() -> None:
    one, same, other = (without_secrets(f"password: {word}") for word in ("first-one", "first-one", "second"))
    assert one == same
    assert one != other


def test_a_text_that_is_marked_already_stays() -> None:
    once = without_secrets(f"HF_TOKEN={HUB} password: correct-horse nats://a:hidden@b")
    assert without_secrets(once) == once


SECRETS = ("HF_TOKEN", "token", "db-password", "apiKey", "AWS_SECRET_ACCESS_KEY", "hfToken")
OTHERS = ("MAX_NUM_TOKENS", "tokenizer", "creationToken", "TOKEN_FILE", "key", "name")


def test_the_name_of_a_variable_can_say_that_its_value_is_a_secret() -> None:
    assert [name for name in (*SECRETS, *OTHERS) if names_a_secret(name)] == list(SECRETS)


def test_a_mark_tells_nothing_of_the_length_of_a_secret() -> None:
    assert len(mark_of("a")) == len(mark_of(100 * "a"))


def test_a_long_text_without_a_secret_is_read_in_its_length_and_not_in_its_square() -> None:
    text = "a-" * 200_000 + "://" * 50_000 + "eyJ" * 50_000 + "Bearer " * 20_000
    assert without_secrets(text) == text


_REFERENCE = {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf-token", "key": "HF_TOKEN"}}}
_PORT = {"name": "PORT", "value": "8000"}
_INPUTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a token in a config map, and not the text around it": (
        {"data": {"config.yaml": f"a: 1\nhub: {HUB}\nb: 2\n"}},
        {"data": {"config.yaml": f"a: 1\nhub: {mark_of(HUB)}\nb: 2\n"}},
    ),
    "the value after an option of a command": (
        {"args": ["serve", "--api-key", "letmein", "--port", "8000"]},
        {"args": ["serve", "--api-key", mark_of("letmein"), "--port", "8000"]},
    ),
    "values of a chart by their names": (
        {"values": {"nats": {"auth": {"password": "letmein"}}}},
        {"values": {"nats": {"auth": {"password": mark_of("letmein")}}}},
    ),
    "no reference to a secret": ({"env": [_REFERENCE]}, {"env": [_REFERENCE]}),
}


def _resource(inputs: dict[str, Any], *secret_paths: tuple[str]) -> Resource:
    return Resource(urn="urn", type="type", name="a", inputs=inputs, secret_paths=frozenset(secret_paths))


@pytest.mark.parametrize("case", _INPUTS)
def test_what_looks_like_a_secret_is_marked(case: str) -> None:
    inputs, shown = _INPUTS[case]
    assert marked(_resource(inputs)).inputs == shown


def test_all_data_of_a_secret_is_marked_and_its_keys_stay() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "data": {"a": "YQ=="}, "stringData": {"b": "plain"}}
    shown = marked(_resource(secret))
    assert shown.inputs["data"] == {"a": mark_of("YQ==")}
    assert shown.inputs["stringData"] == {"b": mark_of("plain")}
    assert shown.secret_paths == {("data",), ("stringData",)}


def test_what_the_program_declares_secret_is_marked_with_all_its_parts_that_are_known() -> None:
    shown = marked(_resource({"a": {"b": ["x", 1, True, UNKNOWN]}, "c": "x"}, ("a",))).inputs
    assert shown == {"a": {"b": [mark_of("x"), mark_of("1"), mark_of("True"), UNKNOWN]}, "c": "x"}


def test_a_variable_of_a_container_with_the_name_of_a_secret_has_a_marked_value() -> None:
    shown = marked(_resource({"env": [{"name": "HUB_TOKEN", "value": "short"}, _PORT]}))
    assert shown.inputs["env"] == [{"name": "HUB_TOKEN", "value": mark_of("short")}, _PORT]
    assert shown.secret_paths == {("env", 0, "value")}
