"""Settings, commands and scripts inside of texts."""

import base64
import json

import pytest

from tests.comparison.resources_of_tests import deployment, kubernetes_object, resource, said_of


def _connector(name: str) -> str:
    return f"exec server --transfer '{json.dumps({'kv_role': 'kv_both', 'kv_connector': name})}'"


def _script(word: str) -> str:
    return base64.b64encode(f"#!/bin/sh\necho {word}\n".encode()).decode()


def _said_of_data(key: str, before: str, after: str) -> list[str]:
    return said_of(kubernetes_object("v1", "ConfigMap", "files", data={key: before}), {f"data/{key}": after})


def _said_of_arguments(before: list[str], after: list[str]) -> list[str]:
    start = deployment(containers=[{"name": "main", "image": "server:1", "args": before}])
    return said_of(start, {"spec/template/spec/containers/0/args": after})


_YAML = "kv_cache_config:\n  dtype: fp8\n  fraction: 0.8\nmax_batch_size: 64\n"
_OTHER_YAML = "max_batch_size: 64\nkv_cache_config:\n  fraction: 0.85\n  dtype: fp8\n"
_DATA: dict[str, tuple[str, str, str, list[str]]] = {
    "YAML is compared field by field": (
        "engine.yaml",
        _YAML,
        _OTHER_YAML,
        ['@@ data["engine.yaml"].kv_cache_config.fraction (replaces) @@', "- 0.8", "+ 0.85"],
    ),
    "JSON is compared field by field": (
        "nats.conf",
        '{"a": 1, "b": [1, 2]}',
        '{"b":[1,2],"a":2}',
        ['@@ data["nats.conf"].a (replaces) @@', "- 1", "+ 2"],
    ),
    "a comment in YAML is a change as the engine replaces the object for it": (
        "engine.yaml",
        "a: 1\nb: 2\n",
        "a: 1\n# twice as many\nb: 2\n",
        [
            '@@ data["engine.yaml"] (replaces) @@',
            "@@ -1,3 +1,4 @@",
            " a: 1",
            "+# twice as many",
            " b: 2",
            " ",
        ],
    ),
    "a file that was empty is a text": (
        "engine.yaml",
        "",
        "a: 1",
        ['@@ data["engine.yaml"] (replaces) @@', "- ", "+ a: 1"],
    ),
    "a program is compared as a whole": (
        "main.py",
        "print(1)\n",
        "print(2)\n",
        ['@@ data["main.py"] (replaces) @@', "@@ -1,2 +1,2 @@", "-print(1)", "+print(2)", " "],
    ),
    "a program's lost line end is a change": (
        "main.py",
        "print(1)\n",
        "print(1)",
        ['@@ data["main.py"] (replaces) @@', "- print(1)", "- ", "+ print(1)"],
    ),
}
_ARGUMENTS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "options of a command in one text": (
        ["exec python3 -m server --port 8000 --mode prefill"],
        ["exec python3 -m server --port 8000 --mode decode --eager"],
        [
            '@@ spec.template.spec.containers.main.args[0]["--eager"] (rolls pods) @@',
            "+ true",
            '@@ spec.template.spec.containers.main.args[0]["--mode"] (rolls pods) @@',
            "- prefill",
            "+ decode",
        ],
    ),
    "an option of a command in words": (
        ["--port=80", "--mode", "a"],
        ["--port=81", "--mode", "a"],
        ['@@ spec.template.spec.containers.main.args["--port"] (rolls pods) @@', "- 80", "+ 81"],
    ),
    "JSON of an option": (
        [_connector("Nixl")],
        [_connector("Lm")],
        [
            '@@ spec.template.spec.containers.main.args[0]["--transfer"].kv_connector (rolls pods) @@',
            "- Nixl",
            "+ Lm",
        ],
    ),
    "options in another order are another command": (
        ["--a 1 --b 2"],
        ["--b 2 --a 1"],
        ["@@ spec.template.spec.containers.main.args[0] (rolls pods) @@", "- --a 1 --b 2", "+ --b 2 --a 1"],
    ),
    "an option that is given twice is compared by words": (
        ["--set", "a=1", "--set", "b=2"],
        ["--set", "a=1", "--set", "b=3"],
        ["@@ spec.template.spec.containers.main.args[3] (rolls pods) @@", "- b=2", "+ b=3"],
    ),
}


@pytest.mark.parametrize("case", _DATA)
def test_data_of_a_config_map_are_compared_as_what_they_are(case: str) -> None:
    key, before, after, words = _DATA[case]
    assert _said_of_data(key, before, after)[1:] == words


@pytest.mark.parametrize("case", _ARGUMENTS)
def test_arguments_of_a_container_are_compared_option_by_option(case: str) -> None:
    before, after, words = _ARGUMENTS[case]
    assert _said_of_arguments(before, after)[1:] == words


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ('{"x": 1, "y": 2}', '{"y":3,"x":1}', ["@@ metadata.annotations.a.y @@", "- 2", "+ 3"]),
        ("note: one", "note: two", ["@@ metadata.annotations.a @@", "- note: one", "+ note: two"]),
    ],
    ids=["JSON", "a sentence"],
)
def test_json_in_an_annotation_is_compared_field_by_field_and_a_sentence_as_text(
    before: str, after: str, words: list[str]
) -> None:
    start = kubernetes_object("v1", "ConfigMap", "one", metadata={"annotations": {"a": before}})
    assert said_of(start, {"metadata/annotations/a": after})[1:] == words


def test_user_data_is_read() -> None:
    template = resource("aws:ec2/launchTemplate:LaunchTemplate", "nodes", {"userData": _script("a")})
    assert said_of(template, {"userData": _script("b")}) == [
        "updated: LaunchTemplate nodes",
        "@@ userData @@",
        "@@ -1,3 +1,3 @@",
        " #!/bin/sh",
        "-echo a",
        "+echo b",
        " ",
    ]


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
    ids=["depth", "aliases", "nested lists", "no end", "keys", "no JSON", "quotes"],
)
def test_no_text_of_a_pull_request_ends_the_comparison(hostile: str) -> None:
    assert _said_of_data("engine.yaml", "a: 1\nb: 2\n", hostile)
    assert _said_of_data("engine.yaml", hostile, hostile + "\n# more")
    assert _said_of_arguments([hostile], [hostile + " --more"])
