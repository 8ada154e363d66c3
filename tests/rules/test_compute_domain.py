from pathlib import Path

import pytest

from tests.rules.judging import (
    CLAIMS,
    DECODE,
    PREFILL,
    TRAY,
    found,
    in_file,
    in_program,
    judge,
    messages,
    mutated,
)

GB200 = ("p6e-gb200.36xlarge", "p6e-gb200.36xlarge")
DOMAIN = (
    "apiVersion: resource.nvidia.com/v1beta1\nkind: ComputeDomain\nmetadata: {name: domain}\n"
    "spec: {numNodes: 0, channel: {resourceClaimTemplate: {name: channel-template}}}\n"
)
POD_CLAIM = (
    "extraPodSpec:\n        resourceClaims: [{name: channel, resourceClaimTemplateName: channel-template}]\n"
)
BY_POD = ("extraPodSpec:\n        affinity:", f"{POD_CLAIM}        affinity:")
ONE_GPU, FOUR_GPUS = ('        limits:\n          gpu: "1"', '        limits:\n          gpu: "4"')
BY_CONTAINER = tuple((gpus, f"        claims: [{{name: channel}}]\n{gpus}") for gpus in (ONE_GPU, FOUR_GPUS))


def claims_only(edits: tuple[tuple[str, str], ...], domain: str = DOMAIN) -> str:
    return f"{domain}---\n{mutated(*edits)}"


def of_claims(findings: set[tuple[str, str, str]]) -> set[tuple[str, str, str]]:
    return {finding for finding in findings if finding[0] in {CLAIMS, TRAY}}


def test_workers_that_claim_their_channel_in_pod_and_container_pass_on_two_trays() -> None:
    report = judge(in_program(claims_only((BY_POD, *BY_CONTAINER)), instance_types=GB200))
    assert of_claims(found(report)) == set(), messages(report)


V1BETA1 = """
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {{name: beta}}
spec:
  components:
    - name: worker
      type: worker
      replicas: 1
      podTemplate:
        spec:
          resourceClaims: [{{name: channel, resourceClaimTemplateName: channel-template}}]
          containers:
            - name: main
              command: [python3, -m, dynamo.trtllm]
              args: [--tensor-parallel-size, "4"]
              resources: {{limits: {{nvidia.com/gpu: 4}}, claims: [{{name: {claim}}}]}}
"""


def test_a_v1beta1_graph_s_claims_are_read_from_its_containers(tmp_path: Path) -> None:
    right, wrong = (f"{DOMAIN}---\n{V1BETA1.format(claim=claim)}" for claim in ("channel", "chanel"))
    assert (CLAIMS, "failed", "worker") not in found(judge(in_file(tmp_path, right)))
    assert (CLAIMS, "failed", "worker") in found(judge(in_file(tmp_path, wrong)))


def test_prefill_and_decode_in_one_pool_are_counted_together() -> None:
    edits = (BY_POD, *BY_CONTAINER)
    text = claims_only(edits)
    crowded = {
        name: {"pool": "trays", "instanceType": GB200[0], "nodes": nodes}
        for name, nodes in ((PREFILL, 1), (DECODE, 1))
    }
    report = judge(in_program(text, inputs={"placement": crowded}))
    assert (TRAY, "failed", f"{DECODE}, {PREFILL}") in found(report), messages(report)
    assert "but pool trays has 1 node of p6e-gb200.36xlarge" in messages(report)
    roomy = {name: {**entry, "nodes": 2} for name, entry in crowded.items()}
    assert of_claims(found(judge(in_program(text, inputs={"placement": roomy})))) == set()


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
    text = f"{template}---\n{V1BETA1.format(claim='channel')}"
    assert ((TRAY, "undecided", "worker") in found(judge(in_file(tmp_path, text)))) is is_channel
