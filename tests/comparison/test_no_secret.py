"""A token that somebody has typed where it does not belong is in none of the outputs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cli.diff import print_comparison
from comparison.markdown import as_markdown
from comparison.recording import Side
from comparison.stack_comparison import Comparison, compare_sides
from tests.comparison.changed_stacks import Case

RECIPE = "ours/disagg"


def tokens(letter: str) -> dict[str, str]:
    """Tokens in the forms in which they are given out; none of them was."""
    return {
        "hugging face": f"hf_{letter * 34}",
        "aws": f"AKIA{letter.upper() * 16}",
        "url": f"https://user:{letter * 20}@proxy.example.com",
        "password": letter * 24,
    }


def planted(letter: str) -> dict[str, Any]:
    token = tokens(letter)
    values = {
        "services.1.environment.HF_TOKEN": token["hugging face"],
        "services.2.environment.AWS_ACCESS_KEY_ID": token["aws"],
    }
    return {
        "settings": {
            "serving.recipe": RECIPE,
            "serving.recipeFolder": "own-recipes",
            "serving.environment.prefill.HTTPS_PROXY": token["url"],
            "serving.environment.decode.DB_PASSWORD": token["password"],
        },
        "config": {"dynamo-stack:hfToken": {"secure": f"v1:{letter * 30}"}},
        "recipe": {RECIPE: {"from": "gpt-oss-120b/trtllm-disagg", "set": values}},
    }


def assert_each_says(outputs: Sequence[str], *words: str) -> None:
    """Each output has all of the words, and no token in whole or in part."""
    planted_texts = [text for letter in "qw" for text in (*tokens(letter).values(), letter * 20)]
    for output in outputs:
        assert [word for word in words if word not in output] == []
        assert [text for text in planted_texts if text in output] == []


def test_planted_tokens_show_as_changed_and_nowhere_with_their_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = Case("planted", "dev", planted("q"), planted("w"), {})
    stack = case.compared(tmp_path, monkeypatch)
    whole = Comparison(base=Side("a", None, {}), head=Side("b", None, {}), stacks=(stack,))
    print_comparison(whole)
    outputs = (as_markdown(whole), whole.model_dump_json(by_alias=True), capsys.readouterr().out)
    assert_each_says(outputs, "HF_TOKEN", "AWS_ACCESS_KEY_ID", "HTTPS_PROXY", "DB_PASSWORD", "hfToken")


def test_tokens_in_findings_refusals_and_waivers_are_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = tokens("q")
    change = planted("q")
    settings = change["settings"]
    said = f"asked with {token['hugging face']} by {token['url']}, password={token['password']}"
    waiver = {"rule": "kv-transport-proven", "reason": said, "expires": "2099-12-31"}
    settings |= {
        "waivers": [waiver, waiver | {"rule": "no-such-rule"}],
        "modelCache.storageClassName": f"sk-{'q' * 24}",
        "modelCache.size": "100Gi",
    }
    sides = Case("planted", "dev", planted("w"), change, {}).sides(tmp_path, monkeypatch)
    whole = compare_sides(*sides)
    outputs = (as_markdown(whole), whole.model_dump_json(by_alias=True))
    words = ("kv-transport-proven", "waiver-is-valid", "modelCache.size", "asked with [secret ")
    assert_each_says(outputs, *words)
