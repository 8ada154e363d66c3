"""The field of a finding: where the object has what the message names."""

import pytest

from resource_graph.manifests import manifest_graph
from rules.reading.fields import field_named
from rules.reading.objects.schemas import dotted

_OBJECTS = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: a-graph}
spec:
  services:
    Frontend: {envFromSecret: hf-token}
    Worker:
      extraPodSpec: {mainContainer: {args: ['python3 -m dynamo.vllm --model a/b --max-model-len=8192']}}
---
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: another-graph}
spec:
  env: [{name: HF_TOKEN, value: x}]
  components:
  - name: decode
    podTemplate:
      metadata: {labels: {model: gpt-oss}}
      spec: {containers: [{name: main, args: [--model=gpt-oss, --draft=a], ports: [{protocol: TCP}]}]}
  - name: prefill
    podTemplate: {spec: {containers: [{name: main, env: [{name: HF_HUB_OFFLINE, value: '1'}]}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: a-server, labels: {app: a-server}}
spec:
  replicas: 4
  template:
    spec:
      nodeSelector: {kubernetes.io/arch: arm64}
      containers:
      - {name: proxy, image: 'envoy:1', env: [{name: HF_TOKEN}]}
      - {name: vllm-server, image: 'vllm/vllm-openai:v0.20.1', env: [{name: HF_TOKEN}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: twin}
spec: {whenDeleted: Delete, template: {spec: {containers: [{name: twin, args: ["/bin/a\\n/bin/b"]}]}}}
"""
_MAIN = "spec.services.Worker.extraPodSpec.mainContainer"
_POD = "spec.template.spec"
FIELDS = {
    "a flag in a script": (0, "Worker", "refuses 9000 tokens (--max-model-len 8192)", f"{_MAIN}.args[0]"),
    "a service where nothing in it is named": (0, "Worker", "has 4 GPUs", "spec.services.Worker"),
    "what is missing, where it is named": (
        0,
        "hf-token",
        "nobody makes it",
        "spec.services.Frontend.envFromSecret",
    ),
    "a line of a script": (3, "twin", "runs /bin/b", "spec.template.spec.containers[0].args[0][1]"),
    "a path in dots": (0, "a-graph", "spec.services.Worker is odd", "spec.services.Worker"),
    "a whole object": (0, "a-graph", "is a graph of 2", ""),
    "a variable": (
        1,
        "prefill",
        "has HF_HUB_OFFLINE",
        "spec.components[1].podTemplate.spec.containers[0].env[0]",
    ),
    "the first of two subjects": (1, "decode, prefill", "differ", "spec.components[0]"),
    "of two subjects that whose flag is named first": (
        1,
        "prefill, decode",
        "has --draft, HF_HUB_OFFLINE",
        "spec.components[0].podTemplate.spec.containers[0].args[1]",
    ),
    "a flag, and no label of its value": (
        1,
        "decode",
        "serves gpt-oss",
        "spec.components[0].podTemplate.spec.containers[0].args[0]",
    ),
    "a word of prose": (1, "decode", "falls back to TCP", "spec.components[0]"),
    "a variable of the whole graph": (1, "decode", "has HF_TOKEN", "spec.env[0]"),
    "one of several engines": (0, "Worker engine 2", "Frontend asks it", "spec.services.Worker"),
    "what a container has": (
        2,
        "a-server",
        "variable HF_TOKEN of container vllm-server",
        f"{_POD}.containers[1].env[0]",
    ),
    "a container of a plain name": (2, "a-server", "container proxy is; arm64", f"{_POD}.containers[0]"),
    "a field of the object, where its name is its container's": (
        3,
        "twin",
        "is Delete by whenDeleted",
        "spec.whenDeleted",
    ),
    "a container's image": (
        2,
        "vllm-server",
        "vllm/vllm-openai:v0.20.1 is old",
        f"{_POD}.containers[1].image",
    ),
    "a container": (2, "vllm-server", "asks for 4 GPUs, not 1", f"{_POD}.containers[1]"),
    "a field of the pod": (
        2,
        "vllm-server",
        "lacks kubernetes.io/arch",
        f"{_POD}.nodeSelector.kubernetes.io/arch",
    ),
    "the pods, where the object's name is theirs": (2, "a-server", "a-server has 4", _POD),
}


@pytest.mark.parametrize(("position", "subject", "message", "field"), FIELDS.values(), ids=FIELDS)
def test_a_finding_points_at_the_field_that_its_message_names_else_at_its_subject(
    position: int, subject: str, message: str, field: str
) -> None:
    graph = manifest_graph([("deploy.yaml", _OBJECTS)])
    assert dotted(field_named(graph, [*graph][position], subject, message)) == field
