from collections.abc import Callable
from typing import Any

import pytest

from stacks.errors import SettingsError
from stacks.plan.infrastructure.eks_plan import EksPlan, MadeStorage, PlannedNetwork
from stacks.settings.cluster import EfsStorage, LustreStorage
from stacks.settings.purchase import CapacityBlock
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import BLOCK, eks_b200_settings, eks_gb200_settings

Settings = dict[str, Any]


def planned(settings: Settings) -> EksPlan:
    plan = resolved(settings).infrastructure
    assert plan is not None
    return plan


def said(settings: Settings) -> str:
    with pytest.raises(SettingsError) as refusal:
        resolved(settings)
    return str(refusal.value)


def test_a_b200_pool_is_a_node_group_of_its_zone_with_the_x86_image() -> None:
    plan = planned(eks_b200_settings())
    (nodes,) = plan.gpu_nodes
    assert (nodes.name, nodes.ami_type, nodes.zone.name) == (
        "gpt-oss-b200",
        "AL2023_x86_64_NVIDIA",
        "us-east-1a",
    )
    assert nodes.purchase == CapacityBlock(
        kind="capacityBlock", id="cr-0123456789abcdef0", starts="2026-12-01T11:30:00Z", phase="active"
    )
    assert not nodes.placed_together
    assert plan.storage == MadeStorage(LustreStorage(kind="fsxLustre"), 1200, nodes.zone.name)
    assert (plan.uses_compute_domains, plan.efa_instance_types) == (False, ("p6-b200.48xlarge",))


def test_gb200_trays_are_in_a_local_zone_while_control_plane_and_cache_are_in_the_region() -> None:
    plan = planned(eks_gb200_settings())
    (nodes,) = plan.gpu_nodes
    assert (nodes.ami_type, nodes.zone.is_local) == ("AL2023_ARM_64_NVIDIA", True)
    assert isinstance(plan.network, PlannedNetwork)
    assert [subnet.zone for subnet in plan.network.subnets if subnet.public] == ["us-east-1a", "us-east-1b"]
    assert [each.zone for each in plan.network.subnets if each.public is None] == ["us-east-1-dfw-2a"]
    # A node in a Local Zone finds no mount target by name.
    assert plan.storage == MadeStorage(EfsStorage(kind="efs"), 150, "us-east-1a")
    assert plan.uses_compute_domains


@pytest.mark.parametrize(
    ("size", "nearest"),
    [
        ("1000Gi", "1200Gi is the smallest"),
        ("2Ti", "1200Gi or 2400Gi are the nearest"),
        ("2401Gi", "2400Gi or 4800Gi are the nearest"),
        ("3600Gi", "2400Gi or 4800Gi are the nearest"),
    ],
)
def test_a_size_that_fsx_does_not_have_is_refused_with_those_next_to_it(size: str, nearest: str) -> None:
    settings = eks_b200_settings()
    settings["modelCache"]["size"] = size
    text = said(settings)
    assert f"modelCache.size = {size!r}\n  FSx for Lustre has no file system of this size" in text
    assert f"allowed: 1200Gi, or a multiple of 2400Gi; {nearest}" in text


@pytest.mark.parametrize("size", ["1200Gi", "2400Gi", "7200Gi"])
def test_a_size_that_fsx_has_is_taken(size: str) -> None:
    settings = eks_b200_settings()
    settings["modelCache"]["size"] = size
    storage = planned(settings).storage
    assert storage is not None
    assert f"{storage.size_gib}Gi" == size


@pytest.mark.parametrize(
    ("zone", "why"),
    [("us-east-1c", "no subnet of the stack is there"), ("us-east-1-dfw-2a", "is a Local Zone")],
)
def test_a_file_system_stands_where_the_stack_has_a_subnet_of_the_region(zone: str, why: str) -> None:
    settings = eks_b200_settings()
    settings["modelCache"]["storage"]["zone"] = zone
    assert f"modelCache.storage.zone = {zone!r}\n  {why}" in said(settings)


def test_a_lustre_cache_of_nodes_in_a_local_zone_is_in_the_region() -> None:
    settings = eks_gb200_settings()
    settings["modelCache"] = {"size": "1200Gi", "storage": {"kind": "fsxLustre", "zone": "us-east-1b"}}
    storage = planned(settings).storage
    assert storage is not None
    assert (storage.typed.kind, storage.zone) == ("fsxLustre", "us-east-1b")


@pytest.mark.parametrize(
    ("instance_type", "ami"),
    [
        ("m7g.2xlarge", "AL2023_ARM_64_STANDARD"),
        ("c8gn.4xlarge", "AL2023_ARM_64_STANDARD"),
        ("m7i.2xlarge", "AL2023_x86_64_STANDARD"),
        ("g6.xlarge", "AL2023_x86_64_STANDARD"),
    ],
)
def test_system_nodes_get_the_image_of_their_architecture(instance_type: str, ami: str) -> None:
    settings = eks_b200_settings()
    settings["cluster"]["systemNodes"] = {"instanceType": instance_type}
    assert planned(settings).system_ami_type == ami


def _pool(**changes: Any) -> Callable[[Settings], None]:
    return lambda settings: settings["nodePools"][0].update(changes)


def _network(**changes: Any) -> Callable[[Settings], None]:
    return lambda settings: settings["cluster"]["network"].update(changes)


def _cluster(**changes: Any) -> Callable[[Settings], None]:
    return lambda settings: settings["cluster"].update(changes)


def _without(key: str) -> Callable[[Settings], None]:
    return lambda settings: settings["nodePools"][0].pop(key)


@pytest.mark.parametrize(
    ("base", "change", "says"),
    [
        (eks_b200_settings, _without("zone"), "try: us-east-1a"),
        (eks_gb200_settings, _without("zone"), "try: us-east-1-dfw-2a"),
        (
            eks_b200_settings,
            _pool(rdma={"resource": "rdma/ib", "fabric": "infiniband"}),
            "EC2 has no RDMA devices of InfiniBand or RoCE",
        ),
        (
            eks_b200_settings,
            _pool(purchase={**BLOCK, "ends": BLOCK["starts"]}),
            "nodePools[0].purchase.ends",
        ),
        (eks_gb200_settings, _pool(nodes=20, nvlinkDomainGpus=72), "is one UltraServer, of 18 nodes here"),
        (eks_gb200_settings, _pool(nodes=18), "nvlinkDomainGpus: 72 where the UltraServer has as many"),
        (
            eks_b200_settings,
            _cluster(systemNodes={"instanceType": "p6-b200.48xlarge"}),
            "has GPUs, which nothing uses on these nodes",
        ),
        (eks_b200_settings, _without("purchase"), "nothing is bought that nobody typed"),
        (eks_b200_settings, _cluster(region="us-gov-west-1"), "is a region of another partition of AWS"),
        (eks_b200_settings, _cluster(region="cn-north-1"), "is a region of another partition of AWS"),
        (eks_b200_settings, _pool(zone="us-west-2a"), "is no zone of cluster.region us-east-1"),
        (eks_b200_settings, _pool(zone="us-east-1-dfw-2a"), "not in Local Zones"),
        (eks_gb200_settings, _pool(zone="us-east-1a"), "p6e-gb200.36xlarge is not offered there"),
        (eks_gb200_settings, _pool(purchase={"kind": "onDemand"}), "is not sold this way"),
        (
            eks_b200_settings,
            _pool(purchase={**eks_b200_settings()["nodePools"][0]["purchase"], "starts": "tomorrow"}),
            "allowed: a time in UTC",
        ),
        (
            eks_b200_settings,
            _pool(amiRelease="1.34.5-20261101"),
            "nodePools[0].amiRelease = '1.34.5-20261101'\n  is an image of Kubernetes 1.34.5, and",
        ),
        (eks_b200_settings, _pool(amiRelease="latest"), "a release of EKS' images, in quotes"),
        (
            eks_gb200_settings,
            _pool(amiRelease="1.35.2-20251102"),
            "older than the first image on which p6e-gb200.36xlarge has its GPUs",
        ),
        (
            eks_b200_settings,
            _cluster(systemNodes={"amiRelease": "1.36.0-20261101"}),
            "cluster.systemNodes.amiRelease = '1.36.0-20261101'",
        ),
        (eks_b200_settings, _pool(rootVolumeType="io1"), "allowed: gp3 or gp2"),
        (
            eks_b200_settings,
            _cluster(tags={"kubernetes.io/team": "search"}),
            "the EBS driver takes no tag whose key begins with kubernetes.io",
        ),
        (
            eks_b200_settings,
            _cluster(roles={"permissionsBoundary": "arn:aws:iam::210987654321:policy/boundary"}),
            "is a policy of another account than 123456789012",
        ),
        (
            eks_b200_settings,
            _cluster(roles={"permissionsBoundary": "arn:aws-cn:iam::123456789012:policy/boundary"}),
            "allowed: the ARN of an IAM policy, such as arn:aws:iam::",
        ),
        (eks_b200_settings, _cluster(roles={"path": "team"}), "try: /team/"),
        (eks_b200_settings, _cluster(roles={"path": "/team"}), "with a slash at both ends"),
        (eks_b200_settings, _cluster(roles={"path": "/*/"}), "letters, digits and +=,.@_-"),
        (eks_b200_settings, _network(zones=["us-east-1a", "us-east-1-dfw-2a"]), "never into a Local Zone"),
        (eks_b200_settings, _network(zones=["us-east-1a", "us-west-2b"]), "is no zone of cluster.region"),
        (eks_b200_settings, _network(cidr="10.0.0.0/24"), "private, /16 to /20"),
        (eks_b200_settings, _network(cidr="8.8.0.0/16"), "private, /16 to /20"),
        (eks_b200_settings, _network(cidr="10.0.0.1/16"), "no network"),
    ],
)
def test_what_aws_would_refuse_is_refused_before_anything_is_made(
    base: Callable[[], Settings], change: Callable[[Settings], None], says: str
) -> None:
    settings = base()
    change(settings)
    assert says in said(settings)


def test_an_adopted_network_needs_a_subnet_where_the_pool_is() -> None:
    settings = eks_b200_settings()
    subnets = {"us-east-1b": "subnet-0123456789abcdef0", "us-east-1c": "subnet-0123456789abcdef1"}
    settings["cluster"]["network"] = {
        "kind": "existing",
        "vpcId": "vpc-0123456789abcdef0",
        "subnets": subnets,
    }
    assert "cluster.network.subnets names no subnet there" in said(settings)


def test_what_belongs_to_a_cluster_of_the_stack_s_own_is_refused_beside_one_that_exists() -> None:
    settings = disagg_b200_settings()
    settings["nodePools"][0] |= {
        "zone": "us-east-1a",
        "purchase": {"kind": "spot"},
        "amiRelease": "1.35.2-20261101",
        "rootVolumeType": "gp2",
    }
    settings["modelCache"] = {"size": "150Gi", "storage": {"kind": "efs"}}
    text = said(settings)
    assert text.count("belongs to a cluster that the stack makes") == 5
    assert "modelCache.storageClassName" in text


def test_an_ingress_is_refused_where_the_stack_s_own_cluster_has_nobody_to_answer_it() -> None:
    settings = eks_b200_settings()
    ingress = {"kind": "ingress", "className": "alb", "host": "llm.example.com"}
    settings["serving"]["exposure"] = ingress
    text = said(settings)
    assert "serving.exposure.kind = 'ingress'\n  the cluster that this stack makes has no Ingress" in text
    assert "try: kind: internalLoadBalancer" in text
    settings["serving"]["exposure"] = {"kind": "internalLoadBalancer"}
    assert resolved(settings).serving.exposure is not None
    # Between two stacks somebody can install a controller.
    settings["serving"]["exposure"] = ingress
    settings |= {"layers": ["serving"], "layerStacks": {"infrastructure": "below", "platform": "below"}}
    assert resolved(settings).serving.exposure is not None


def test_a_cache_has_a_class_or_a_file_system_and_not_both() -> None:
    settings = eks_b200_settings()
    settings["modelCache"]["storageClassName"] = "shared-files"
    assert "needs one of storage, which is made, and storageClassName, which exists" in said(settings)


def test_a_lustre_cache_lies_in_the_zone_of_the_pool_that_serves() -> None:
    settings = eks_b200_settings()
    unused = settings["nodePools"][0] | {"name": "unused", "zone": "us-east-1b", "labels": {"team": "other"}}
    settings["nodePools"].insert(0, unused)
    settings["nodePools"][1]["labels"] = {"team": "own"}
    storage = planned(settings).storage
    assert storage is not None
    assert storage.zone == settings["nodePools"][1]["zone"]


def test_a_disk_of_gp3_is_not_asked_for_in_a_zone_that_has_none() -> None:
    settings = eks_b200_settings()
    settings["modelCache"] = {"size": "200Gi", "storage": {"kind": "ebs"}}
    settings["nodePools"][0]["rootVolumeType"] = "gp2"
    assert "the cache's disk is of gp3, and pool b200 has rootVolumeType gp2" in said(settings)
