"""Two stacks, one platform: the second names the first one's and brings none of its own."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.serving.etcd_discovery import discover_by_etcd
from tests.serving_stacks.pods import nodes_of, pods_of, variables_of
from tests.serving_stacks.rehearsal import prepare, rehearsed
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox

pytestmark = [pytest.mark.lab, pytest.mark.slow]

FIRST_NAMESPACE, SECOND_NAMESPACE = "gpt-oss", "gpt-oss-batch"


def _on_the_first_platform(settings: dict[str, Any]) -> None:
    settings["platform"] = {"kind": "existing", "version": "1.2.1", "namespace": "dynamo-system"}
    settings["serving"]["namespace"] = SECOND_NAMESPACE


@pytest.fixture(scope="module")
def first(lab: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    with rehearsed(lab, tmp_path_factory.mktemp("first"), "disagg-b200-tcp", discover_by_etcd) as stack:
        yield stack


@pytest.fixture(scope="module")
def second(first: LabStack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabStack]:
    folder = tmp_path_factory.mktemp("second")
    with rehearsed(first.lab, folder, "disagg-gb200-two-trays", _on_the_first_platform) as stack:
        yield stack


def test_a_second_stack_that_brings_a_platform_too_is_refused_and_recovery_takes_nothing_over(
    first: LabStack, tmp_path: Path
) -> None:
    intruder = prepare(first.lab, tmp_path, "disagg-gb200-two-trays")
    try:
        said = intruder.failing_up()
        recovered = intruder.dynamo_stack("recover", intruder.name, "--yes", check=False)
        types = [urn.split("::")[2] for urn in intruder.urns()]
    finally:
        intruder.pulumi("stack", "rm", "--yes", "--force", "--preserve-config")
    assert "a Dynamo platform of stack disagg-b200-tcp runs in namespace dynamo-system already" in said
    assert "platform: {kind: existing" in said
    assert "namespace gpt-oss exists already and belongs to stack disagg-b200-tcp" in said
    assert "no run was interrupted, nothing was changed" in recovered.stdout
    assert [each for each in types if not each.startswith("pulumi:")] == []
    first.pulumi("preview", "--expect-no-changes")


def test_workers_of_a_stack_with_discovery_etcd_are_told_all_three_members(first: LabStack) -> None:
    pods = pods_of(first.lab, "gpt-oss-disagg", FIRST_NAMESPACE)
    expected = ",".join(
        f"http://dynamo-etcd-{member}.dynamo-etcd-headless.dynamo-system.svc.cluster.local:2379"
        for member in range(3)
    )
    for role in ("frontend", "prefill", "decode"):
        [variables] = [variables_of(pod) for pod in pods[role]]
        # The operator names a backend only where it is Kubernetes; the runtime's own default is etcd.
        assert "DYN_DISCOVERY_BACKEND" not in variables
        assert variables["ETCD_ENDPOINTS"] == expected
    members = first.lab.get("pods", "-n", "dynamo-system", "-l", "app.kubernetes.io/name=dynamo-etcd")[
        "items"
    ]
    assert nodes_of(members) == ["system-0", "system-1", "system-2"]


def test_both_stacks_run_under_the_same_graph_name_in_their_own_namespaces(
    first: LabStack, second: LabStack
) -> None:
    workers = {
        namespace: [
            pod
            for role in ("prefill", "decode")
            for pod in pods_of(second.lab, "gpt-oss-disagg", namespace)[role]
        ]
        for namespace in (FIRST_NAMESPACE, SECOND_NAMESPACE)
    }
    assert nodes_of(workers[FIRST_NAMESPACE]) == ["p6-b200-0", "p6-b200-0"]
    assert nodes_of(workers[SECOND_NAMESPACE]) == ["p6e-gb200-0", "p6e-gb200-1"]
    assert first.urns()


def test_the_second_stack_registers_nothing_of_the_platform(second: LabStack) -> None:
    types = {urn.split("::")[2].rpartition("$")[2] for urn in second.urns()}
    assert "kubernetes:helm.sh/v3:Release" not in types
    assert "kubernetes:apps/v1:StatefulSet" not in types
    assert "kubernetes:resource.nvidia.com/v1beta1:ComputeDomain" in types


def test_each_compute_domain_belongs_to_one_graph(second: LabStack) -> None:
    domains = second.lab.get("computedomains.resource.nvidia.com", "--all-namespaces")["items"]
    assert [(item["metadata"]["namespace"], item["metadata"]["name"]) for item in domains] == [
        (SECOND_NAMESPACE, "gpt-oss-disagg-compute-domain")
    ]


def test_a_claimant_that_comes_when_both_trays_are_taken_stays_pending(second: LabStack) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "late-claimant", "namespace": SECOND_NAMESPACE},
        "spec": {
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
            "resourceClaims": [{"name": "channel", "resourceClaimTemplateName": "gpt-oss-disagg-channel"}],
            "containers": [
                {
                    "name": "main",
                    "image": "example.com/late:1",
                    "resources": {"claims": [{"name": "channel"}]},
                }
            ],
        },
    }
    second.lab.kubectl("apply", "-f", "-", stdin=json.dumps(pod))
    try:
        second.lab.kubectl(
            "wait", "pod/late-claimant", "-n", SECOND_NAMESPACE, "--timeout=30s",
            "--for=condition=PodScheduled=false",
        )  # fmt: skip
        found = second.lab.get("pod", "late-claimant", "-n", SECOND_NAMESPACE)
    finally:
        second.lab.kubectl("delete", "pod", "late-claimant", "-n", SECOND_NAMESPACE, "--timeout=30s")
    [condition] = [item for item in found["status"]["conditions"] if item["type"] == "PodScheduled"]
    assert found["status"]["phase"] == "Pending"
    assert "cannot allocate all claims" in condition["message"]
