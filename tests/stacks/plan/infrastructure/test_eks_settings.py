"""What a cluster of the stack's own is made of, and what AWS would refuse of it."""

import pytest

from stacks.plan.infrastructure.eks_plan import EksPlan
from tests.stacks.changed_settings import BY_THE_HOUR, GONE, Change, Settings, changed, said
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

POOL = "nodePools[0]"
INGRESS: Change = {"serving.exposure": {"kind": "ingress", "className": "alb", "host": "llm.example.com"}}


def planned(settings: Settings) -> EksPlan:
    plan = resolved(settings).infrastructure
    assert plan is not None
    return plan


UNUSED = eks_b200_settings()["nodePools"][0] | {
    "name": "unused",
    "zone": "us-east-1b",
    "labels": {"team": "other"},
}
SERVING = eks_b200_settings()["nodePools"][0] | {"labels": {"team": "own"}}


@pytest.mark.parametrize(
    ("base", "change", "size", "zone"),
    [
        (eks_b200_settings(), {"modelCache.size": "1200Gi"}, 1200, "us-east-1a"),
        (eks_b200_settings(), {"modelCache.size": "7200Gi"}, 7200, "us-east-1a"),
        # In the zone of the pool that serves.
        (eks_b200_settings(), {"nodePools": [UNUSED, SERVING]}, 1200, "us-east-1a"),
        # In the region, where nodes in a Local Zone load from.
        (
            eks_gb200_settings(),
            {"modelCache": {"size": "1200Gi", "storage": {"kind": "fsxLustre", "zone": "us-east-1b"}}},
            1200,
            "us-east-1b",
        ),
    ],
)
def test_a_lustre_cache_has_a_size_that_is_sold_and_lies_where_its_nodes_read_it(
    base: Settings, change: Change, size: int, zone: str
) -> None:
    storage = planned(changed(base, change)).storage
    assert storage is not None
    assert (storage.typed.kind, storage.size_gib, storage.zone) == ("fsxLustre", size, zone)


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
    settings = changed(eks_b200_settings(), {"cluster.systemNodes": {"instanceType": instance_type}})
    assert planned(settings).system_ami_type == ami


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({f"{POOL}.zone": GONE}, "try: us-east-1a"),
        (
            {f"{POOL}.rdma": {"resource": "rdma/ib", "fabric": "infiniband"}},
            "describes nodes that exist",
        ),
        ({f"{POOL}.purchase": GONE}, "nothing is bought that nobody typed"),
        ({f"{POOL}.zone": "us-west-2a"}, "is no zone of cluster.region us-east-1"),
        ({f"{POOL}.purchase.starts": "tomorrow"}, "allowed: a time in UTC"),
        (
            {f"{POOL}.amiRelease": "1.34.5-20261101"},
            "nodePools[0].amiRelease = '1.34.5-20261101'\n  is an image of Kubernetes 1.34.5, and",
        ),
        ({f"{POOL}.amiRelease": "latest"}, "a release of EKS' images, in quotes"),
        (
            {"cluster.systemNodes": {"amiRelease": "1.36.0-20261101"}},
            "cluster.systemNodes.amiRelease = '1.36.0-20261101'",
        ),
        ({f"{POOL}.rootVolumeType": "io1"}, "allowed: gp3 or gp2"),
        (
            {"cluster.roles": {"permissionsBoundary": "arn:aws-cn:iam::123456789012:policy/boundary"}},
            "allowed: the ARN of an IAM policy, such as arn:aws:iam::",
        ),
        ({"cluster.roles": {"path": "team"}}, "with a slash at both ends\n  try: /team/"),
        ({"cluster.roles": {"path": "/*/"}}, "letters, digits and +=,.@_-"),
        (
            {"cluster.network.zones": ["us-east-1a", "us-west-2a"]},
            "us-west-2a'\n  is no zone of cluster.region",
        ),
        ({"cluster.network.zones": ["us-east-1a", "us-east-1-dfw-2a"]}, "never into a Local Zone"),
        ({"cluster.network.cidr": "10.0.0.0/24"}, "a private network, /16 to /20"),
        ({"cluster.network.cidr": "8.8.0.0/16"}, "a private network, /16 to /20"),
        ({"cluster.network.cidr": "10.0.0.1/16"}, "a private network, /16 to /20"),
        (
            {"modelCache.storageClassName": "shared-files"},
            "modelCache\n  needs one of storage, which is made, and storageClassName, which exists",
        ),
    ],
)
def test_what_aws_would_refuse_is_refused_before_anything_is_made(change: Change, says: str) -> None:
    assert says in said(changed(eks_b200_settings(), change))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({f"{POOL}.zone": GONE}, "try: us-east-1-dfw-2a"),
        (
            {f"{POOL}.nodes": 20, f"{POOL}.nvlinkDomainGpus": 72},
            "is one UltraServer, of 18 nodes here",
        ),
        (BY_THE_HOUR, "is not sold this way"),
        (
            {f"{POOL}.amiRelease": "1.35.2-20251102"},
            "older than the first image on which p6e-gb200.36xlarge has its GPUs",
        ),
    ],
)
def test_what_aws_would_refuse_of_gb200_is_refused_before_anything_is_made(change: Change, says: str) -> None:
    assert says in said(changed(eks_gb200_settings(), change))


def test_what_belongs_to_a_cluster_of_the_stack_s_own_is_refused_beside_one_that_exists() -> None:
    settings = changed(
        disagg_b200_settings(),
        {
            f"{POOL}.zone": "us-east-1a",
            f"{POOL}.purchase": {"kind": "spot"},
            f"{POOL}.amiRelease": "1.35.2-20261101",
            f"{POOL}.rootVolumeType": "gp2",
            "modelCache": {"size": "150Gi", "storage": {"kind": "efs"}},
        },
    )
    text = said(settings)
    assert text.count("belongs to a cluster that the stack makes") == 5
    assert "modelCache.storageClassName" in text


def test_an_ingress_is_refused_where_the_stack_s_own_cluster_has_nobody_to_answer_it() -> None:
    text = said(changed(eks_b200_settings(), INGRESS))
    assert "serving.exposure.kind = 'ingress'\n  the cluster that this stack makes has no Ingress" in text
    assert "try: kind: internalLoadBalancer" in text
    # Between two stacks somebody can install a controller.
    below = {"layers": ["serving"], "layerStacks": {"infrastructure": "below", "platform": "below"}}
    for possible in ({"serving.exposure": {"kind": "internalLoadBalancer"}}, INGRESS | below):
        assert resolved(changed(eks_b200_settings(), possible)).settings.serving.exposure is not None
