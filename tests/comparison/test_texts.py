"""Settings, commands and scripts inside of texts."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.comparison.resources_of_tests import changed, deployment, kubernetes_object, resource, said

if TYPE_CHECKING:
    from comparison.changes import ResourceChange


def _config_map(text: str, key: str = "engine.yaml") -> Any:
    return kubernetes_object("v1", "ConfigMap", "files", data={key: text})


def _with_text(before: str, after: str, key: str = "engine.yaml") -> ResourceChange:
    return changed(_config_map(before, key), lambda inputs: inputs["data"].update({key: after}))


def _with_arguments(before: list[str], after: list[str]) -> list[str]:
    start = deployment(containers=[{"name": "main", "image": "server:1", "args": before}])

    def change(inputs: dict[str, Any]) -> None:
        inputs["spec"]["template"]["spec"]["containers"][0]["args"] = after

    found = said(changed(start, change).fields)
    return [each.removeprefix("spec template spec containers main args ") for each in found]


def test_yaml_in_a_config_map_is_compared_field_by_field() -> None:
    before = "kv_cache_config:\n  dtype: fp8\n  fraction: 0.8\nmax_batch_size: 64\n"
    after = "max_batch_size: 64\nkv_cache_config:\n  fraction: 0.85\n  dtype: fp8\n"
    found = _with_text(before, after)
    assert said(found.fields) == ["data engine.yaml kv_cache_config fraction: 0.8 -> 0.85"]


def test_json_in_a_config_map_is_compared_field_by_field() -> None:
    found = _with_text('{"a": 1, "b": [1, 2]}', '{"b":[1,2],"a":2}', "nats.conf")
    assert said(found.fields) == ["data nats.conf a: 1 -> 2"]


def test_a_comment_in_yaml_is_a_change_as_the_engine_replaces_the_object_for_it() -> None:
    found = _with_text("a: 1\nb: 2\n", "a: 1\n# twice as many\nb: 2\n")
    assert said(found.fields) == ["data engine.yaml: 'a: 1\\nb: 2\\n' -> 'a: 1\\n# twice as many\\nb: 2\\n'"]
    assert found.operation.value == "replace"


def test_a_program_is_compared_as_a_whole_its_lost_line_end_too() -> None:
    for after in ("print(2)\n", "print(1)"):
        found = _with_text("print(1)\n", after, "main.py")
        assert said(found.fields) == [f"data main.py: 'print(1)\\n' -> {after!r}"]


def test_json_in_an_annotation_is_compared_field_by_field() -> None:
    start = kubernetes_object("v1", "ConfigMap", "one", metadata={"annotations": {"a/b": '{"x": 1, "y": 2}'}})
    found = changed(start, lambda inputs: inputs["metadata"]["annotations"].update({"a/b": '{"y":3,"x":1}'}))
    assert said(found.fields) == ["metadata annotations a/b y: 2 -> 3"]


def test_an_option_of_a_command_in_one_text_is_named() -> None:
    before = "exec python3 -m server --port 8000 --mode prefill"
    after = "exec python3 -m server --port 8000 --mode decode --eager"
    assert _with_arguments([before], [after]) == [
        "0 --eager: None -> True",
        "0 --mode: 'prefill' -> 'decode'",
    ]


def test_an_option_of_a_command_in_words_is_named() -> None:
    assert _with_arguments(["--port=80", "--mode", "a"], ["--port=81", "--mode", "a"]) == [
        "--port: '80' -> '81'"
    ]


def test_json_of_an_option_is_compared_field_by_field() -> None:
    command = "exec server --kv-transfer-config '{}'"
    before, after = (
        command.format(json.dumps({"kv_role": "kv_both", "kv_connector": each})) for each in ("Nixl", "Lm")
    )
    assert _with_arguments([before], [after]) == ["0 --kv-transfer-config kv_connector: 'Nixl' -> 'Lm'"]


def test_options_in_another_order_are_another_command() -> None:
    assert _with_arguments(["--a 1 --b 2"], ["--b 2 --a 1"]) == ["0: '--a 1 --b 2' -> '--b 2 --a 1'"]


def test_an_option_that_is_given_twice_is_compared_by_words() -> None:
    before, after = ["--set", "a=1", "--set", "b=2"], ["--set", "a=1", "--set", "b=3"]
    assert _with_arguments(before, after) == ["3: 'b=2' -> 'b=3'"]


def test_user_data_is_read() -> None:
    before, after = (base64.b64encode(f"#!/bin/sh\necho {each}\n".encode()).decode() for each in ("a", "b"))
    template = resource("aws:ec2/launchTemplate:LaunchTemplate", "nodes", {"userData": before})
    found = changed(template, lambda inputs: inputs.update(userData=after))
    assert said(found.fields) == ["userData: '#!/bin/sh\\necho a\\n' -> '#!/bin/sh\\necho b\\n'"]


@pytest.mark.parametrize(
    "hostile",
    [
        "a: " + "[" * 10_000,
        "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [" + "*c, " * 5_000 + "*c]\n",
        "- " * 50_000 + "\n",
        "a: [\n",
        "? {a: 1}: 2\n? [b]: 3\n",
        "a: .nan\nb: 2026-01-01\n",
        "'" * 100_001,
    ],
)
def test_no_text_of_a_pull_request_ends_the_comparison(hostile: str) -> None:
    assert _with_text("a: 1\nb: 2\n", hostile).fields
    assert _with_text(hostile, hostile + "\n# more").fields
    assert _with_arguments([hostile], [hostile + " --more"])
