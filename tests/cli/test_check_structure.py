"""What `check --file` says of objects that an API server would not take, or not as they were meant."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Command, findings, squeezed, written

STRUCTURE = {"fields-known", "values-accepted", "main-container-named"}

SERVICE = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: a-graph
spec:
  services:
    Worker:
      componentType: worker
      {line}
      extraPodSpec:
        mainContainer:
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:{tag}
"""
COMPONENT = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: a-graph
spec:
  components:
    - name: Worker
      type: worker
      {line}
      podTemplate:
        spec:
          containers:
            - name: {container}
              image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.4.0
"""
LINE = 9
_SCRIPT = """\
spec:
  template:
    spec:
      containers:
        - name: a
          image: vllm/vllm-openai:v0.20.1
          command: [sh, -c]
          args:
"""


def service(line: str, tag: str = "1.4.0") -> str:
    return SERVICE.format(line=line, tag=tag)


def component(line: str = "replicas: 1", container: str = "main") -> str:
    return COMPONENT.format(line=line, container=container)


def head(body: str, api_version: str = "nvidia.com/v1alpha1", kind: str = "DynamoGraphDeployment") -> str:
    return f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{name: a-graph}}\n{body}\n"


def structural(command: Command, tmp_path: Path, text: str, *options: str) -> list[dict[str, Any]]:
    answer = command("check", "--json", "--file", written(tmp_path, text), *options)
    return [item for item in findings(answer) if item["rule"] in STRUCTURE]


REFUSED: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "a misspelt field": (
        service("replicsa: 1"),
        LINE,
        (
            "spec.services.Worker.replicsa is no field",
            "the nearest field here is replicas",
            'strict decoding error: unknown field "spec.services.Worker.replicsa"',
        ),
    ),
    "a number in place of a text": (
        service("resources:\n        limits:\n          gpu: 4"),
        LINE + 2,
        ("gpu is 4, without quotes a number", 'must be of type string: "integer"'),
    ),
    "a text in place of spec": (
        head("spec: hello"),
        4,
        ("spec is the text 'hello'", 'must be of type object: "string"'),
    ),
    "a list in place of services": (
        head("spec: {services: [1]}"),
        4,
        ("spec.services is a list", 'must be of type object: "array"'),
    ),
    "a text in place of a number": (
        head("spec: {numNodes: two, channel: {}}", "resource.nvidia.com/v1beta1", "ComputeDomain"),
        4,
        ('spec.numNodes in body must be of type integer: "string"',),
    ),
    "no container called main": (
        component(container="engine"),
        7,
        ("no container of the pod template is called main: its containers are engine",),
    ),
    "a field of the container beside it": (
        service("command: [python3]"),
        LINE,
        ("command belongs to ", " or spec.services.Worker.extraPodSpec.mainContainer.command"),
    ),
    "a field of the container beside the template": (
        component("image: a:1.0"),
        LINE,
        ("image belongs to spec.components[0].podTemplate.spec.containers[].image",),
    ),
    "a misspelt field of Kubernetes": (
        head("spec: {replicsa: 1}", "apps/v1", "Deployment"),
        4,
        ('unknown field "spec.replicsa"', "the nearest field here is replicas"),
    ),
}


@pytest.mark.parametrize(("text", "line", "says"), REFUSED.values(), ids=REFUSED)
def test_what_the_api_server_refuses_or_drops_is_mandatory_with_its_line_and_the_servers_words(
    command: Command, tmp_path: Path, text: str, line: int, says: tuple[str, ...]
) -> None:
    found = [item for item in structural(command, tmp_path, text) if item["line"] == line]
    assert {(item["severity"], item["status"]) for item in found} == {("mandatory", "failed")}
    messages = " ".join(item["message"] for item in found)
    assert [words for words in says if words not in messages] == []


@pytest.mark.parametrize(("style", "line"), [("|", 14), ("|-", 14), (">", 12)])
def test_a_flag_in_a_script_has_its_own_line_where_the_script_is_written_line_by_line(
    command: Command, tmp_path: Path, style: str, line: int
) -> None:
    script = f"            - {style}\n              set -e\n              vllm serve a/b --dtype fp16\n"
    text = head(_SCRIPT + script, "apps/v1", "Deployment")
    [found] = findings(command("check", "--json", "--file", written(tmp_path, text)), "flags-exist")
    assert (found["line"], found["field"][-2:]) == (line, ["args", 0])


def test_the_table_shows_file_line_and_document(command: Command, tmp_path: Path) -> None:
    answer = command("check", "--file", written(tmp_path, service("replicsa: 1")))
    assert answer.code == 1
    assert f"deploy.yaml:{LINE} (document 1)" in squeezed(answer.out)


def test_the_line_is_found_behind_other_documents_lists_and_aliases(command: Command, tmp_path: Path) -> None:
    item = "- apiVersion: v1\n  kind: Service\n  metadata: {name: a}\n  spec:\n    ports:\n      - port: x\n"
    text = (
        "# a comment: with äöü\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: b}\n---\n"
        f"apiVersion: v1\nkind: List\nitems:\n{item}---\n"
        "apiVersion: v1\nkind: Service\nmetadata: {name: b}\nspec: &spec\n  ports: []\n"
        "  selector:\n    app: 1\n"
    )
    found = structural(command, tmp_path, text)
    lines = written(tmp_path, text).read_text().splitlines()
    assert [lines[item["line"] - 1].strip() for item in found] == ["- port: x", "app: 1"]
    assert [item["field"] for item in found] == [["spec", "ports", 0, "port"], ["spec", "selector", "app"]]


@pytest.mark.parametrize(
    ("tag", "options", "status"),
    [
        ("1.2.1", (), "failed"),
        ("1.4.0", (), None),
        ("my-tag", (), "undecided"),
        ("${TAG}", (), "undecided"),
        ("my-tag", ("--platform", "1.2.1"), "failed"),
        ("1.2.1", ("--platform", "1.4"), None),
        ("0.9.0", (), "undecided"),
    ],
)
def test_the_release_that_the_image_or_the_platform_names_decides_which_fields_there_are(
    command: Command, tmp_path: Path, tag: str, options: tuple[str, ...], status: str | None
) -> None:
    found = structural(command, tmp_path, service('runtimeVersionOverride: "1.4.0"', tag), *options)
    assert [item["status"] for item in found] == ([] if status is None else [status])


ACCEPTED = {
    "a number to be filled in": service("replicas: ${REPLICAS}"),
    "a text to be filled in": service("serviceName: ${NAME}"),
    "a field without a value": service("subComponentType: null"),
    "a status": service("replicas: 1") + "status:\n  state: successful\n  anything: 1\n",
    "what the server writes into metadata": component().replace(
        "  name: a-graph",
        "  name: a-graph\n  creationTimestamp: null\n  managedFields: [{fieldsV1: {'f:spec': {}}}]",
    ),
    "data that look like numbers": head("data: {time: 12:30, ratio: '1e5'}", "v1", "ConfigMap"),
    "a number or a name": head(
        "spec: {clusterIP: None, ports: [{port: 80, targetPort: http}]}", "v1", "Service"
    ),
    "a group that has a default": head(
        "roleRef: {kind: Role, name: a}", "rbac.authorization.k8s.io/v1", "RoleBinding"
    ),
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_what_is_a_template_a_status_or_filled_in_by_the_server_does_not_stop(
    command: Command, tmp_path: Path, text: str
) -> None:
    assert "failed" not in {item["status"] for item in structural(command, tmp_path, text)}


def test_unknown_and_secret_values_of_an_exported_state_are_left_out(
    command: Command, tmp_path: Path
) -> None:
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    secret = {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "ciphertext": "x"}
    inputs = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "__initialApiVersion": "nvidia.com/v1alpha1",
        "metadata": {"name": "a-graph"},
        "spec": {"services": {"Worker": {"replicas": unknown, "resources": secret, "replicsa": 1}}},
    }
    urn = "urn:pulumi:dev::p::kubernetes:nvidia.com/v1alpha1:DynamoGraphDeployment::graph"
    resource = {
        "urn": urn,
        "custom": True,
        "type": "kubernetes:nvidia.com/v1alpha1:DynamoGraphDeployment",
        "inputs": inputs,
    }
    state = json.dumps({"version": 3, "deployment": {"resources": [resource]}})
    found = structural(command, tmp_path, state)
    assert [(item["rule"], item["field"]) for item in found] == [
        ("fields-known", ["spec", "services", "Worker", "replicsa"])
    ]
    assert found[0]["line"] is None


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("networking.gke.io/v1", "Network"),
        ("networking.example.io/v1", "Ingress"),
        ("grove.io/v1alpha1", "PodClique"),
        ("grove.io/v1", "PodCliqueSet"),
        ("resource.nvidia.com/v1beta1", "ComputeDomainClique"),
        ("nvidia.com/v1", "ClusterPolicy"),
        ("nvidia.com/v1beta1", "DynamoGraphDeploymentPolicy"),
        ("scheduling.volcano.sh/v1beta1", "Queue"),
    ],
)
def test_a_kind_that_may_well_exist_is_not_called_missing(
    command: Command, tmp_path: Path, api_version: str, kind: str
) -> None:
    assert structural(command, tmp_path, head("spec: {}", api_version, kind)) == []
