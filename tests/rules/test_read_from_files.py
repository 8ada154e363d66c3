"""What is read of the published recipe, and of small files, when no program names a pool."""

from pathlib import Path

import pytest

from resource_graph.input_text import read_inputs
from resource_graph.manifests import manifest_graph
from rules.reading.gpu_pods import claims_channel, read_gpu_pods
from rules.reading.pods.pods import readable
from tests.rules.judging import (
    DECODE,
    FILE,
    FITS,
    GPUS,
    OF_A_WORKER,
    PREFILL,
    QUANTIZATION,
    both,
    found,
    in_file,
    judge,
    messages,
    mutated,
)

MANIFEST = both(FITS, "undecided")


_PRESENT, _PRODUCT = "- key: nvidia.com/gpu.present", "- key: nvidia.com/gpu.product"
_TRUE = 'values: ["true"]'
_IN = "\n                      operator: In\n                      "
_TERM = "- matchExpressions:\n                    "
_ANY_GPU, _B200 = f"{_TERM}{_PRESENT}{_IN}{_TRUE}", f"{_TERM}{_PRODUCT}{_IN}values: [NVIDIA-B200]"
_POD = "      extraPodSpec:\n        "
_H200 = f"{_POD}nodeSelector: {{nvidia.com/gpu.product: NVIDIA-H200}}\n        "


def _affinity(products: str) -> tuple[tuple[str, str], ...]:
    return (_PRESENT, _PRODUCT), (_TRUE, f"values: [{products}]")


@pytest.mark.parametrize(
    ("edits", "status"),
    [
        pytest.param((), "undecided", id="the published file, which names no GPU"),
        pytest.param(_affinity("NVIDIA-B200"), None, id="an affinity to one GPU"),
        pytest.param(_affinity("NVIDIA-GB200, NVIDIA-B200"), None, id="an affinity to two that will do"),
        pytest.param(_affinity("NVIDIA-B200, NVIDIA-H200"), "failed", id="an affinity to one that will not"),
        pytest.param(_affinity("NVIDIA-H200-SHARED"), "failed", id="an affinity to shared GPUs"),
        pytest.param(_affinity("Tesla-T4"), "undecided", id="an affinity to a GPU that nobody knows"),
        pytest.param(((f"{_POD}affinity:", f"{_H200}affinity:"),), "failed", id="a node selector"),
        pytest.param(
            ((_ANY_GPU, f"{_ANY_GPU}\n                {_B200}"),),
            "undecided",
            id="one term without a product",
        ),
    ],
)
def test_the_product_that_pods_select_decides_where_no_pool_does(
    tmp_path: Path, edits: tuple[tuple[str, str], ...], status: str | None
) -> None:
    expected = both(QUANTIZATION, status) if status else frozenset()
    assert found(judge(in_file(tmp_path, mutated(*edits)))) == MANIFEST | expected


def test_a_graph_without_services_is_never_passed_in_silence(tmp_path: Path) -> None:
    text = "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: empty}\nspec: {}\n"
    per_worker = {(rule, "undecided", "empty") for rule in OF_A_WORKER}
    assert found(judge(in_file(tmp_path, text))) == per_worker


@pytest.mark.parametrize(
    ("kind", "wrap"),
    [
        ("Pod", "{spec}"),
        ("Deployment", "{{template: {{spec: {spec}}}}}"),
        ("Job", "{{template: {{spec: {spec}}}}}"),
        ("CronJob", "{{jobTemplate: {{spec: {{template: {{spec: {spec}}}}}}}}}"),
    ],
)
def test_plain_workloads_that_start_the_engine_are_judged(tmp_path: Path, kind: str, wrap: str) -> None:
    container = (
        "{name: engine, image: a/b:1, command: [/usr/bin/bash, -ec], "
        "args: ['exec python3 -m dynamo.trtllm --tensor-parallel-size 2'], "
        "resources: {limits: {nvidia.com/gpu: 1}}}"
    )
    spec = wrap.format(spec=f"{{containers: [{container}]}}")
    text = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: plain}}\nspec: {spec}\n"
    report = judge(in_file(tmp_path, text))
    assert found(report) == {(GPUS, "failed", "engine"), (FITS, "undecided", "engine")}


def test_an_ordinary_workload_is_nobody_s_business(tmp_path: Path) -> None:
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: nginx}]}\n"
    )
    assert found(judge(in_file(tmp_path, text))) == set()


def test_a_file_name_stands_in_the_problem_of_an_engine_file(tmp_path: Path) -> None:
    text = mutated(("    allreduce_strategy: AUTO\n", "    - not a mapping\n"))
    report = judge(in_file(tmp_path, text))
    assert f"ConfigMap llm-config ({tmp_path / 'deploy.yaml'}, document 1, line 3), line 2" in messages(
        report
    )
    assert (FILE, "failed", DECODE) in found(report)
    assert (FILE, "failed", PREFILL) not in found(report)


def test_of_equal_config_maps_the_one_in_the_graph_s_namespace_or_file_is_read(tmp_path: Path) -> None:
    other = mutated(("tensor_parallel_size: 4", "tensor_parallel_size: 8")).split("\n---\n")[0]
    name = "metadata:\n  name: llm-config\n"
    elsewhere = other.replace(name, f"{name}  namespace: elsewhere\n")
    here = mutated((name, f"{name}  namespace: here\n"))
    here = here.replace("  name: gpt-oss-disagg\n", "  name: gpt-oss-disagg\n  namespace: here\n")
    assert (GPUS, "failed", DECODE) not in found(judge(in_file(tmp_path, f"{elsewhere}\n---\n{here}")))
    second = tmp_path / "second.yaml"
    second.write_text(other)
    first = tmp_path / "first.yaml"
    first.write_text(mutated())
    assert found(judge(manifest_graph(read_inputs([first, second])))) == MANIFEST | both(
        QUANTIZATION, "undecided"
    )


def test_two_config_maps_of_one_name_in_one_file_leave_it_undecided(tmp_path: Path) -> None:
    text = f"{mutated().split('---')[0]}---\n{mutated()}"
    report = judge(in_file(tmp_path, text))
    assert both(GPUS, "undecided") <= found(report)
    assert "there are 2 ConfigMaps named llm-config" in messages(report)


V1BETA1 = """
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: beta}
spec:
  components:
    - name: worker
      type: worker
      replicas: 1
      podTemplate:
        spec:
          resourceClaims: [{name: channel, resourceClaimTemplateName: channel-template}]
          containers:
            - name: main
              command: [python3, -m, dynamo.trtllm]
              args: [--tensor-parallel-size, "4"]
              resources: {limits: {nvidia.com/gpu: 4}, claims: [{name: channel}]}
"""


@pytest.mark.parametrize(
    ("device_class", "is_channel"),
    [("compute-domain-default-channel.nvidia.com", True), ("efa.networking.k8s.aws", False)],
)
@pytest.mark.parametrize("wrap", ["{{name: r, {}}}", "{{name: r, exactly: {{{}}}}}"])
def test_a_template_s_device_class_tells_a_channel_from_other_claims(
    tmp_path: Path, device_class: str, wrap: str, *, is_channel: bool
) -> None:
    request = wrap.format(f"deviceClassName: {device_class}")
    template = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: channel-template}\n"
        f"spec: {{spec: {{devices: {{requests: [{request}]}}}}}}\n"
    )
    text = f"{template}---\n{V1BETA1}"
    graph = in_file(tmp_path, text)
    [pods] = readable(read_gpu_pods(graph))
    assert claims_channel(graph, pods) is is_channel
