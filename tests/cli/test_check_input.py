"""What `check` reads: files, pools, exported state; and what it says of what it cannot read."""

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.command import EIGHT_GPUS, Command, findings, squeezed, written
from tests.rules.judging import FITS, GPUS, mutated

_POD = "apiVersion: v1\nkind: Pod\n"
UNREADABLE: dict[str, tuple[str | bytes, str]] = {
    "no text": (b"\xff\x00", ": not a UTF-8 text file"),
    "no YAML": ("a: b: c\n", ", document 1, line 1: not YAML: mapping values are not allowed"),
    "cut off": (f'{_POD}"cut off: [', ", document 1, line 3: not YAML: found unexpected end of stream"),
    "a template of Helm": (
        f"{_POD}metadata:\n  name: {{{{ .Values.x }}}}\n",
        ", document 1, line 4: {{ .Values.x }} belongs to a template; judge what the template makes: "
        "helm template CHART | dynamo-stack check --file -",
    ),
    "a template of Helm that quotes within quotes": (
        f'{_POD}a: \'{{{{ .Values.a | replace "\'" "" }}}}\'\n',
        ', document 1, line 3: {{ .Values.a | replace "\'" "" }}\' belongs to a template; judge what',
    ),
    "never closed": (f"{_POD}a: [1\n\n", ", document 1, line 3: not YAML: did not find expected ',' or ']'"),
    "a tab": (f"{_POD}\tx: 1\n", ", document 1, line 3: not YAML: found a tab character"),
    "an alias of nothing": (
        f"{_POD}x: *nowhere\n",
        ", document 1, line 3: not YAML: the alias *nowhere stands for nothing",
    ),
    "a tag": (f"{_POD}x: !!set 1\n", ", document 1, line 3: a value of type set has no place in a manifest"),
    "a key twice": (
        f"{_POD}{_POD}",
        ", document 1, line 3: the key 'apiVersion' stands twice in one mapping",
    ),
    "no API version": (
        "kind: Pod\n",
        ", document 1, line 1: the document needs a text in apiVersion: it is missing",
    ),
    "a kind that is a number": (
        "apiVersion: v1\nkind: 7\n",
        ", document 1, line 1: the document needs a text in kind: found 7",
    ),
    "a second document that is a list": (f"{_POD}---\n- 1\n", ", document 2, line 4"),
    "a second document that is no object": (
        f"{_POD}---\na: 1\n",
        ", document 2, line 4: the document needs a text",
    ),
}


@pytest.mark.parametrize(("text", "says"), UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_input_exits_2_and_names_the_place_on_stderr(
    command: Command, tmp_path: Path, text: str | bytes, says: str
) -> None:
    answer = command("check", "--file", written(tmp_path, text))
    assert (answer.code, answer.out) == (2, "")
    assert f"deploy.yaml{says}" in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--file", "missing.yaml"), "missing.yaml: cannot be read"),
        (("prod",), "Pulumi.prod.yaml"),
        (("prod",), "dev"),
        ((), "STACK"),
        (("dev", "--file", "docs/examples/graph.yaml"), "try: dynamo-stack check dev"),
        (("--file", "docs/../Pulumi.dev.yaml"), "try: dynamo-stack check dev"),
        (("docs/examples/graph.yaml",), "try: dynamo-stack check --file docs/examples/graph.yaml"),
        (("--file", "docs/examples/grap.yaml"), "No such file or directory; the nearest is graph.yaml"),
        (("dev", "--pool", "p6-b200.48xlarge=1"), "a stack's settings say its pools"),
        (("--file", "docs/examples/graph.yaml", "--platform", "latest"), "try: --platform 1.2.1"),
    ],
    ids=[
        "no file",
        "no stack",
        "stacks there are",
        "nothing",
        "a stack and a file",
        "its file",
        "a file alone",
        "a misspelt file",
        "pool of a stack",
        "no version",
    ],
)
def test_arguments_that_cannot_be_used_exit_2_with_words(
    command: Command, arguments: tuple[str, ...], says: str
) -> None:
    answer = command("check", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert says in squeezed(answer.err.replace("│", ""))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "kind: DynamoGraphDeployment\napiVersion: nvidia.com/v1alpha1\nspec: 3\n",
            "spec is 3, not a mapping",
        ),
        (
            "kind: DynamoGraphDeployment\napiVersion: nvidia.com/v1alpha1\nspec: {services: []}\n",
            "is a list, not a mapping",
        ),
        (
            "kind: DynamoGraphDeployment\napiVersion: nvidia.com/v1alpha1\nspec: {workers: 1}\n",
            "names no service",
        ),
        ("kind: Pod\napiVersion: v1\nspec: {containers: 7}\n", "containers is 7, not a list"),
        ("kind: Pod\napiVersion: v1\nspec: {containers: [{command: [1]}]}\n", "command[0] is 1, not a text"),
    ],
)
def test_what_rules_cannot_read_in_objects_of_a_wrong_shape_is_undecided_with_words(
    command: Command, tmp_path: Path, text: str, found: str
) -> None:
    answer = command("check", "--file", written(tmp_path, text))
    # The API server would refuse it, which is what stops.
    assert answer.code == 1
    assert found in " ".join(answer.out.split())


_SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n"


_SURPRISE = "apiVersion: a/v1\nkind: Surprise\n"
_PODS = "template: {spec: {containers: [{name: a, image: 'a:1'}]}}"
_KNATIVE = f"apiVersion: serving.knative.dev/v1\nkind: Service\nspec: {{{_PODS}}}\n"
_VOLCANO = f"apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec: {{tasks: [{{{_PODS}}}]}}\n"
_KRUISE = f"apiVersion: apps.kruise.io/v1beta1\nkind: StatefulSet\nspec: {{{_PODS}}}\n"
NOT_UNDERSTOOD: dict[str, tuple[str, str, int]] = {
    "a kind that nobody knows": (_SURPRISE, "NOT JUDGED: no rule and no schema knows 1 Surprise", 2),
    "a request for a deployment": (
        "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeploymentRequest\n",
        "NOT JUDGED: ",
        2,
    ),
    "an empty file": ("", "read: nothing; nothing of it that runs was judged", 2),
    "a list without objects": (
        "apiVersion: v1\nkind: List\n",
        "NOT JUDGED: no rule and no schema knows 1 List",
        2,
    ),
    "a comment": ("# only a comment\n---\n", "read: nothing", 2),
    "a kind that runs nothing": (_SERVICE, "passed: ", 0),
    "an unknown kind beside a known one": (f"{_SERVICE}---\n{_SURPRISE}", "passed: ", 0),
    "containers of an unknown kind": (
        f"{_SERVICE}---\n{_SURPRISE}spec: {{a: [{{containers: []}}]}}\n",
        "NOT JUDGED: ",
        2,
    ),
    "a kind of others by the name of a Service": (
        f"{_SERVICE}---\n{_KNATIVE}",
        "NOT JUDGED: no rule and no schema knows 1 Service.serving.knative.dev",
        2,
    ),
    "a kind of others by the name of a Job": (f"{_SERVICE}---\n{_VOLCANO}", "NOT JUDGED: ", 2),
    "a kind of others by the name of a StatefulSet, and pods in its place": (
        _KRUISE,
        "passed: ",
        0,
    ),
    "a kind of others, and pods whose first containers are no list": (
        _KRUISE.replace("{containers", "{initContainers: none, containers"),
        "passed: ",
        0,
    ),
    "an unknown kind beside a graph": (
        f"{mutated()}---\n{_SURPRISE}",
        "no rule and no schema knows it: 1 Surprise",
        0,
    ),
}


@pytest.mark.parametrize(("text", "says", "code"), NOT_UNDERSTOOD.values(), ids=NOT_UNDERSTOOD)
def test_what_was_not_understood_stands_in_the_verdict_and_alone_is_no_pass(
    command: Command, tmp_path: Path, text: str, says: str, code: int
) -> None:
    answer = command("check", "--file", written(tmp_path, text))
    assert says in squeezed(answer.out)
    assert ("NOT JUDGED" in answer.out.splitlines()[0]) == (code == 2)
    assert ("passed: " in answer.out) == (code == 0)
    assert answer.code == code


def test_what_no_rule_judged_stands_in_the_json(command: Command, tmp_path: Path) -> None:
    text = "apiVersion: a/v1\nkind: Surprise\n---\napiVersion: v1\nkind: Pod\nspec: {containers: []}\n"
    report = json.loads(command("check", "--json", "--file", written(tmp_path, text)).out)
    assert report["read"] == {"Pod": 1, "Surprise": 1}
    assert report["notJudged"] == {"Surprise": 1}


def test_pools_beside_a_file_decide_what_it_leaves_open(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, mutated())
    without = findings(command("check", "--json", "--file", file), FITS)
    assert {item["status"] for item in without} == {"undecided"}
    for pools in (["--pool", "p6-b200.48xlarge=1"], ["--pool", "p6-b200.48xlarge=1"] * 2):
        assert findings(command("check", "--json", "--file", file, *pools), FITS) == []


@pytest.mark.parametrize(
    ("pool", "says"),
    [
        ("p6e-gb200.36xlarg=2", ["try: --pool p6e-gb200.36xlarge=2"]),
        ("p6-b200.48xlarge", ["try: --pool p6-b200.48xlarge=1"]),
        ("p6-b200.48xlarge=two", ["from 1 to 99999", "try: --pool p6-b200.48xlarge=1"]),
        ("p6-b200.48xlarge=-1", ["try: --pool p6-b200.48xlarge=1"]),
        ("", ["p6-b200.48xlarge"]),
    ],
)
def test_a_pool_that_cannot_be_read_exits_2_with_what_is_allowed(
    command: Command, tmp_path: Path, pool: str, says: list[str]
) -> None:
    answer = command("check", "--file", written(tmp_path, mutated()), "--pool", pool)
    assert (answer.code, answer.out) == (2, "")
    for text in (f"--pool {pool}", "allowed: TYPE=NODES", *says):
        assert text in answer.err


def test_an_exported_state_is_judged_with_its_edges(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, state(mutated(EIGHT_GPUS)), "state.json")
    report = json.loads(command("check", "--json", "--file", file).out)
    assert report["read"] == {"ConfigMap": 1, "DynamoGraphDeployment": 1}
    assert report["notEvaluated"] == []
    assert GPUS in {item["rule"] for item in report["findings"]}


def test_a_state_is_judged_alone_and_a_broken_one_is_named(command: Command, tmp_path: Path) -> None:
    file = written(tmp_path, state(mutated()), "state.json")
    beside = command("check", "--file", file, written(tmp_path, mutated()))
    assert (beside.code, beside.out) == (2, "")
    assert "state.json is a stack's state, which is judged alone" in beside.err
    broken = command("check", "--file", written(tmp_path, file.read_text()[:-9], "broken.json"))
    assert (broken.code, broken.out) == (2, "")
    assert "broken.json: Invalid JSON: EOF while parsing an object at line 1" in broken.err


def state(text: str) -> str:
    """The objects of the text as `pulumi stack export` prints them."""
    resources = [
        {
            "urn": f"urn:pulumi:s::p::kubernetes:x:{item['kind']}::{item['metadata']['name']}",
            "type": f"kubernetes:x:{item['kind']}",
            "custom": True,
            "inputs": item,
        }
        for item in yaml.safe_load_all(text)
    ]
    return json.dumps({"version": 3, "deployment": {"resources": resources}})
