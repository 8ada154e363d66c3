"""The file system of the model cache, its volume and its claim, on a cluster of the stack's own."""

import functools
from typing import Any, NoReturn

import pulumi
import pytest
from pulumi.runtime.mocks import MockCallArgs, MockMonitor, MockResourceArgs, Mocks
from pulumi.runtime.proto import resource_pb2

from components.model_cache import ModelCache
from components.model_volume import FileSystem, OwnClaim
from components.removal import Keep
from resource_graph import Resource, ResourceGraph, has_unknown
from resource_graph.recorder import run_against
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings
from tests.support.recordings import recorded_stack

LUSTRE, EFS = "aws:fsx/lustreFileSystem:LustreFileSystem", "aws:efs/fileSystem:FileSystem"
STACKS = {"b200": eks_b200_settings, "gb200": eks_gb200_settings}
EVERY_STACK = pytest.mark.parametrize("name", STACKS)


@functools.cache
def recorded(name: str) -> ResourceGraph:
    return recorded_stack(resolved(STACKS[name]()))


def only(graph: ResourceGraph, kind: str) -> Resource:
    found = graph.of_type(kind) if ":" in kind else graph.kubernetes_objects(kind)
    assert len(found) == 1, [each.name for each in found]
    return found[0]


def spec(graph: ResourceGraph, kind: str) -> Any:
    return only(graph, kind).inputs["spec"]


def test_lustre_is_a_resource_of_the_stack_and_of_no_driver() -> None:
    inputs = only(recorded("b200"), LUSTRE).inputs
    assert (inputs["deploymentType"], inputs["storageType"], inputs["fileSystemTypeVersion"]) == (
        "PERSISTENT_2",
        "SSD",
        "2.15",
    )
    assert (inputs["storageCapacity"], inputs["perUnitStorageThroughput"]) == (1200, 250)
    assert (inputs["dataCompressionType"], inputs["automaticBackupRetentionDays"]) == ("LZ4", 0)
    classes = [each.object_name for each in recorded("b200").kubernetes_objects("StorageClass")]
    assert classes == ["gp3"]


def test_lustre_is_in_the_zone_of_its_nodes_and_lets_them_in_by_its_ports_alone() -> None:
    graph = recorded("b200")
    made = only(graph, LUSTRE)
    subnets = {each.name: each for each in graph.of_type("aws:ec2/subnet:Subnet")}
    assert graph.depends_on(made, subnets["network-private-us-east-1a"])
    rules = [
        each
        for each in graph.of_type("aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule")
        if each.name.startswith("cache-storage-lustre")
    ]
    assert {(each.inputs["fromPort"], each.inputs["toPort"]) for each in rules} == {(988, 988), (1018, 1023)}
    # FSx refuses to make it without them.
    assert all(graph.depends_on(made, rule) for rule in rules)


@EVERY_STACK
def test_the_volume_is_bound_to_one_claim_and_stays_when_the_claim_goes(name: str) -> None:
    graph = recorded(name)
    volume, claim = spec(graph, "PersistentVolume"), spec(graph, "PersistentVolumeClaim")
    assert volume["claimRef"] == {"namespace": "gpt-oss", "name": "model-cache"}
    assert claim["volumeName"] == only(graph, "PersistentVolume").object_name == "gpt-oss-model-cache"
    # A class, were it the default one, would make another volume.
    assert (volume["storageClassName"], claim["storageClassName"]) == ("", "")
    assert volume["persistentVolumeReclaimPolicy"] == "Retain"
    assert claim["accessModes"] == ["ReadWriteMany"]
    assert has_unknown(volume["csi"]["volumeHandle"])


@EVERY_STACK
def test_claim_volume_file_system_and_subnet_go_in_this_order(name: str) -> None:
    graph = recorded(name)
    claim, volume = only(graph, "PersistentVolumeClaim"), only(graph, "PersistentVolume")
    made = only(graph, LUSTRE if name == "b200" else EFS)
    doors = graph.of_type("aws:efs/mountTarget:MountTarget")
    assert graph.depends_on(claim, volume)
    assert graph.depends_on(volume, made)
    assert all(graph.depends_on(volume, each) and graph.depends_on(each, made) for each in doors)
    last = doors or [made]
    subnets = graph.of_type("aws:ec2/subnet:Subnet")
    assert all(any(graph.depends_on(each, subnet) for subnet in subnets) for each in last)


def test_the_group_of_the_pods_may_write_to_a_new_lustre() -> None:
    volume = spec(recorded("b200"), "PersistentVolume")
    # What makes kubelet give a shared volume to the pod's group.
    assert volume["accessModes"] == ["ReadWriteMany", "ReadWriteOnce"]
    assert volume["csi"]["fsType"] == "lustre"
    assert volume["mountOptions"] == ["flock"]


def test_efs_belongs_to_the_images_user_and_is_found_from_a_local_zone_by_address() -> None:
    graph = recorded("gb200")
    point = only(graph, "aws:efs/accessPoint:AccessPoint").inputs
    assert point["posixUser"] == {"uid": 1000, "gid": 1000}
    csi = spec(graph, "PersistentVolume")["csi"]
    assert csi["driver"] == "efs.csi.aws.com"
    assert list(csi["volumeAttributes"]) == ["mounttargetip"]
    settings = eks_b200_settings()
    settings["modelCache"] = {"size": "150Gi", "storage": {"kind": "efs"}}
    assert "volumeAttributes" not in spec(recorded_stack(resolved(settings)), "PersistentVolume")["csi"]


def test_a_larger_file_system_is_told_to_the_volume() -> None:
    settings = eks_b200_settings()
    settings["modelCache"]["size"] = "2400Gi"
    graph = recorded_stack(resolved(settings))
    assert only(graph, LUSTRE).inputs["storageCapacity"] == 2400
    assert spec(graph, "PersistentVolume")["capacity"] == {"storage": "2400Gi"}


class _AsGiven(Mocks):
    def call(self, args: MockCallArgs) -> NoReturn:
        raise AssertionError(f"the component calls {args.token}")

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        return f"{args.name}-id", args.inputs


class _Ignoring(MockMonitor):
    """Notes what the engine is told to leave as it is."""

    def __init__(self) -> None:
        super().__init__(_AsGiven())
        self.ignored: dict[str, list[str]] = {}

    def RegisterResource(  # noqa: N802 - the name of the remote procedure
        self, request: resource_pb2.RegisterResourceRequest
    ) -> resource_pb2.RegisterResourceResponse:
        self.ignored[request.name] = list(request.ignoreChanges)
        return super().RegisterResource(request)


@pytest.mark.parametrize(("file_system", "ignored"), [(True, ["spec.resources"]), (False, [])])
def test_a_claim_asks_for_no_more_where_its_file_system_grows(
    *, file_system: bool, ignored: list[str]
) -> None:
    storage = FileSystem("files", "fsx.csi.aws.com", "fs-1", {}, "lustre") if file_system else "files"
    claim = OwnClaim(storage, 2400, Keep.NOTHING)

    def program() -> None:
        provider = pulumi.ProviderResource("kubernetes", "cluster", {})
        ModelCache(
            "it",
            claim,
            namespace="serving",
            claim_name="cache",
            job_name="job",
            job_spec={"template": {}},
            job_timeout_seconds=60,
            depends_on=[],
            opts=pulumi.ResourceOptions(providers=[provider]),
        )

    monitor = _Ignoring()
    run_against(monitor, program, project="toy", stack="toy", preview=False)
    # Kubernetes lets no claim without a class grow.
    assert monitor.ignored["it-claim"] == ignored


def test_a_cluster_of_somebody_elses_gets_its_volume_by_its_class() -> None:
    graph = recorded_stack(resolved(disagg_b200_settings()))
    assert graph.kubernetes_objects("PersistentVolume") == ()
    assert "volumeName" not in spec(graph, "PersistentVolumeClaim")


@EVERY_STACK
def test_the_driver_of_the_servers_disks_outlives_their_namespace_and_the_gpu_nodes(name: str) -> None:
    graph = recorded(name)
    addons = {each.inputs["addonName"]: each for each in graph.of_type("aws:eks/addon:Addon")}
    driver = addons["aws-ebs-csi-driver"]
    namespaces = {each.object_name: each for each in graph.kubernetes_objects("Namespace")}
    groups = {each.name: each for each in graph.of_type("aws:eks/nodeGroup:NodeGroup")}
    assert graph.depends_on(namespaces["dynamo-system"], driver)
    assert graph.depends_on(groups[f"{name}-nodes"], driver)
    assert graph.depends_on(driver, groups["system-nodes"])
