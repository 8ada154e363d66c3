"""The file system of the model cache, its volume and its claim, on a cluster of the stack's own."""

import json

from resource_graph import has_unknown
from tests.components.recorded import ADDON, EFS_CACHE, EVERY_EKS, GROUP, SUBNET, only, recorded, recorded_eks
from tests.support.dev_settings import disagg_b200_settings
from tests.support.eks_settings import eks_b200_settings

LUSTRE, EFS = "aws:fsx/lustreFileSystem:LustreFileSystem", "aws:efs/fileSystem:FileSystem"


def test_the_driver_of_lustre_asks_no_metadata_for_its_region() -> None:
    addon = only(recorded_eks(), ADDON, "addons-aws-fsx-csi-driver").inputs
    assert json.loads(addon["configurationValues"]) == {"controller": {"region": "us-east-1"}}


@EVERY_EKS
def test_the_volume_is_bound_to_one_claim_and_stays_when_the_claim_goes(name: str) -> None:
    graph = recorded_eks(name)
    made, claim = only(graph, "PersistentVolume"), only(graph, "PersistentVolumeClaim").inputs["spec"]
    volume = made.inputs["spec"]
    assert volume["claimRef"] == {"namespace": "gpt-oss", "name": "model-cache"}
    assert claim["volumeName"] == made.object_name == "gpt-oss-model-cache"
    # A class, were it the default one, would make another volume.
    assert (volume["storageClassName"], claim["storageClassName"]) == ("", "")
    assert volume["persistentVolumeReclaimPolicy"] == "Retain"
    assert claim["accessModes"] == ["ReadWriteMany"]
    assert has_unknown(volume["csi"]["volumeHandle"])


@EVERY_EKS
def test_claim_volume_file_system_and_subnet_go_in_this_order(name: str) -> None:
    graph = recorded_eks(name)
    claim, volume = only(graph, "PersistentVolumeClaim"), only(graph, "PersistentVolume")
    made = only(graph, LUSTRE if name == "b200" else EFS)
    doors = graph.of_type("aws:efs/mountTarget:MountTarget")
    assert graph.depends_on(claim, volume)
    assert graph.depends_on(volume, made)
    assert all(graph.depends_on(volume, each) and graph.depends_on(each, made) for each in doors)
    subnets = graph.of_type(SUBNET)
    assert all(any(graph.depends_on(each, subnet) for subnet in subnets) for each in doors or [made])


def test_the_group_of_the_pods_may_write_to_a_new_lustre() -> None:
    volume = only(recorded_eks(), "PersistentVolume").inputs["spec"]
    # What makes kubelet give a shared volume to the pod's group.
    assert volume["accessModes"] == ["ReadWriteMany", "ReadWriteOnce"]
    assert volume["csi"]["fsType"] == "lustre"
    assert volume["mountOptions"] == ["flock"]


def test_efs_belongs_to_the_images_user_and_is_found_from_a_local_zone_by_address() -> None:
    graph = recorded_eks("gb200")
    assert only(graph, "aws:efs/accessPoint:AccessPoint").inputs["posixUser"] == {"uid": 1000, "gid": 1000}
    csi = only(graph, "PersistentVolume").inputs["spec"]["csi"]
    assert csi["driver"] == "efs.csi.aws.com"
    assert list(csi["volumeAttributes"]) == ["mounttargetip"]
    in_the_region = recorded_eks(pool={"zone": "us-east-1c"}, modelCache=EFS_CACHE)
    assert "volumeAttributes" not in only(in_the_region, "PersistentVolume").inputs["spec"]["csi"]


def test_a_larger_file_system_is_told_to_the_volume() -> None:
    graph = recorded_eks(modelCache={**eks_b200_settings()["modelCache"], "size": "2400Gi"})
    assert only(graph, LUSTRE).inputs["storageCapacity"] == 2400
    assert only(graph, "PersistentVolume").inputs["spec"]["capacity"] == {"storage": "2400Gi"}


def test_a_cluster_of_somebody_elses_gets_its_volume_by_its_class() -> None:
    graph = recorded(disagg_b200_settings())
    assert graph.kubernetes_objects("PersistentVolume") == ()
    assert "volumeName" not in only(graph, "PersistentVolumeClaim").inputs["spec"]


@EVERY_EKS
def test_the_driver_of_the_servers_disks_outlives_their_namespace_and_the_gpu_nodes(name: str) -> None:
    graph = recorded_eks(name)
    driver = only(graph, ADDON, "addons-aws-ebs-csi-driver")
    assert graph.depends_on(only(graph, "Namespace", "platform-namespace"), driver)
    assert graph.depends_on(only(graph, GROUP, f"{name}-nodes"), driver)
    assert graph.depends_on(driver, only(graph, GROUP, "system-nodes"))
