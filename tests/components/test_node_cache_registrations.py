"""What the program registers of a model cache that only some nodes have."""

import pytest

from resource_graph import ResourceGraph
from rules.catalogue import rules_on, run_rules
from rules.rule import Severity
from tests.components.recorded import GROUP, in_phase, only
from tests.rules.judging import TODAY

STACKS = {"a disk": ("b200", "ebs"), "own disks": ("gb200", "instanceStore")}
EVERY_STACK = pytest.mark.parametrize("name", STACKS)


def recorded(name: str, phase: str = "active") -> ResourceGraph:
    machine, kind = STACKS[name]
    return in_phase(phase, machine, modelCache={"size": "300Gi", "storage": {"kind": kind}})


@EVERY_STACK
def test_no_rule_stops_it(name: str) -> None:
    report = run_rules(recorded(name), rules_on(TODAY), today=TODAY)
    assert not report.broken
    assert [
        f"{finding.rule.id}: {finding.observation.message}"
        for finding in report.findings
        if finding.severity is Severity.MANDATORY
    ] == []


def test_a_disk_is_made_where_its_first_pod_is_for_one_node_encrypted_and_protected() -> None:
    graph = recorded("a disk")
    [made] = graph.kubernetes_objects_named("StorageClass", "model-cache", None)
    assert made.inputs["parameters"] == {
        "type": "gp3",
        "encrypted": "true",
        "throughput": "1000",
        "iops": "4000",
    }
    assert (made.inputs["volumeBindingMode"], made.inputs["reclaimPolicy"]) == (
        "WaitForFirstConsumer",
        "Delete",
    )
    claim = only(graph, "PersistentVolumeClaim")
    assert claim.inputs["spec"]["accessModes"] == ["ReadWriteOnce"]
    assert claim.inputs["spec"]["storageClassName"] == "model-cache"
    assert claim.protect
    assert graph.depends_on(claim, made)


def test_the_download_onto_a_disk_waits_for_the_node_that_will_load_from_it() -> None:
    graph = recorded("a disk")
    job = only(graph, "Job")
    assert graph.depends_on(job, only(graph, GROUP, "b200-nodes"))
    assert "NVIDIA-B200" in str(job.inputs["spec"]["template"]["spec"]["affinity"])


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


def test_before_its_block_s_window_copies_wait_for_their_nodes_and_a_disk_is_not_filled() -> None:
    disk, own = recorded("a disk", "waiting"), recorded("own disks", "waiting")
    for kind in ("Job", "PersistentVolumeClaim"):
        assert disk.kubernetes_objects(kind) == ()
    assert only(own, "DaemonSet")
    assert own.kubernetes_objects("DynamoGraphDeployment") == ()
