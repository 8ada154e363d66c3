"""What the program registers of a model cache that only some nodes have."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from resource_graph import Resource, ResourceGraph
from rules.catalogue import rules_on, run_rules
from rules.model import Severity
from tests.rules.judging import TODAY
from tests.stacks.plan.test_cache_problems import on_disk, on_nodes
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings
from tests.support.recordings import recorded_stack

STACKS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "a disk": lambda: on_disk(eks_b200_settings()),
    "own disks": lambda: on_nodes(eks_gb200_settings()),
}
EVERY_STACK = pytest.mark.parametrize("name", STACKS)


@functools.cache
def recorded(name: str) -> ResourceGraph:
    return recorded_stack(resolved(STACKS[name]()))


def waiting(name: str) -> ResourceGraph:
    settings = STACKS[name]()
    settings["nodePools"][0]["purchase"]["phase"] = "waiting"
    return recorded_stack(resolved(settings))


def only(graph: ResourceGraph, kind: str) -> Resource:
    (found,) = graph.kubernetes_objects(kind)
    return found


def cache_class(graph: ResourceGraph) -> Any:
    (found,) = graph.kubernetes_objects_named("StorageClass", "model-cache", None)
    return found


@EVERY_STACK
def test_no_rule_stops_it(name: str) -> None:
    report = run_rules(recorded(name), rules_on(TODAY), today=TODAY)
    assert not report.broken
    assert [
        f"{finding.rule.id}: {finding.observation.message}"
        for finding in report.findings
        if finding.severity is Severity.MANDATORY
    ] == []


@EVERY_STACK
def test_no_file_system_is_made_in_the_account(name: str) -> None:
    assert not [each for each in recorded(name) if each.type.startswith(("aws:efs", "aws:fsx"))]


def test_a_disk_is_made_where_its_first_pod_is_encrypted_and_as_fast_as_typed() -> None:
    made = cache_class(recorded("a disk")).inputs
    assert made["parameters"] == {"type": "gp3", "encrypted": "true", "throughput": "1000", "iops": "4000"}
    assert (made["volumeBindingMode"], made["reclaimPolicy"]) == ("WaitForFirstConsumer", "Delete")


def test_a_disk_is_claimed_for_one_node_and_protected_in_production() -> None:
    graph = recorded("a disk")
    claim: Any = only(graph, "PersistentVolumeClaim")
    assert claim.inputs["spec"]["accessModes"] == ["ReadWriteOnce"]
    assert claim.inputs["spec"]["storageClassName"] == "model-cache"
    assert claim.protect
    assert graph.depends_on(claim, cache_class(graph))


def test_the_download_onto_a_disk_waits_for_the_node_that_will_load_from_it() -> None:
    graph = recorded("a disk")
    (group,) = [each for each in graph.of_type("aws:eks/nodeGroup:NodeGroup") if each.name == "b200-nodes"]
    job: Any = only(graph, "Job")
    assert graph.depends_on(job, group)
    assert "NVIDIA-B200" in str(job.inputs["spec"]["template"]["spec"]["affinity"])


def test_before_its_block_s_window_nothing_is_downloaded_onto_a_disk_that_no_node_has() -> None:
    graph = waiting("a disk")
    assert graph.kubernetes_objects("Job") == ()
    assert graph.kubernetes_objects("PersistentVolumeClaim") == ()


def test_own_disks_have_neither_claim_nor_job_nor_class() -> None:
    graph = recorded("own disks")
    assert graph.kubernetes_objects("PersistentVolumeClaim") == ()
    assert graph.kubernetes_objects("Job") == ()
    assert graph.kubernetes_objects_named("StorageClass", "model-cache", None) == ()


def test_the_graph_is_made_when_every_node_has_its_copy() -> None:
    graph = recorded("own disks")
    copies = only(graph, "DaemonSet")
    assert graph.depends_on(only(graph, "DynamoGraphDeployment"), copies)
    assert not copies.protect


def test_before_its_block_s_window_the_copies_wait_for_their_nodes() -> None:
    graph = waiting("own disks")
    assert only(graph, "DaemonSet")
    assert graph.kubernetes_objects("DynamoGraphDeployment") == ()
