"""Model caches that only some nodes have, and zones that a cache cannot be mounted from."""

import pytest

from stacks.plan.cache_plan import NodeCopies
from stacks.plan.stack_plan import StackPlan
from tests.stacks.changed_settings import (
    ON_A_DISK,
    ON_EACH_NODE,
    SECOND_NODE,
    Change,
    Settings,
    changed,
    pools,
    said,
)
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

POOL = eks_b200_settings()["nodePools"][0]
TWO_POOLS: Change = {
    "nodePools": [POOL | {"name": name, "labels": {"for": name}} for name in ("prompts", "answers")],
    **pools(prefill="prompts", decode="answers"),
}
LUSTRE: Change = {"modelCache": {"size": "1200Gi", "storage": {"kind": "fsxLustre"}}}
OTHER_ZONE: Change = {"nodePools[0].zone": "us-east-1b"}


def on_disk(settings: Settings) -> Settings:
    return changed(settings, ON_A_DISK)


def on_nodes(settings: Settings) -> Settings:
    return changed(settings, ON_EACH_NODE)


B200_ON_DISK = on_disk(eks_b200_settings())
B200_ON_NODES = on_nodes(eks_b200_settings())


def _frontend_labels(stack: StackPlan) -> list[dict[str, str]]:
    nodes = stack.serving.placed.cache_nodes
    assert nodes is not None
    return [dict(selector) for selector in nodes.selectors]


def test_copies_on_the_nodes_own_disks_are_no_claim_and_leave_nothing() -> None:
    stack = resolved(on_nodes(eks_gb200_settings()))
    assert isinstance(stack.cache, NodeCopies)
    assert stack.cache.nodes.directory == "/mnt/k8s-disks/0/gpt-oss-model-cache"
    assert {item.kind for item in stack.retained}.isdisjoint({"PersistentVolumeClaim", "EBS volume"})


def test_copies_are_on_every_pool_that_workers_run_in() -> None:
    labels = _frontend_labels(resolved(changed(B200_ON_NODES, TWO_POOLS)))
    assert [selector["for"] for selector in labels] == ["prompts", "answers"]


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        pytest.param(
            changed(B200_ON_DISK, SECOND_NODE),
            "modelCache.storage.kind = 'ebs'\n"
            "  one node mounts a disk of EBS, and workers and frontends would be on the 2 of b200\n"
            "  allowed: fsxLustre, efs or instanceStore, for more nodes than one\n"
            "  try: instanceStore, a copy on each node; or one pool with nodes: 1",
            id="a disk for two nodes",
        ),
        pytest.param(
            changed(eks_b200_settings(), LUSTRE, {"modelCache.storage.zone": "us-east-1b"}),
            "modelCache.storage.zone = 'us-east-1b'\n"
            "  pool b200 is in us-east-1a, and every file would come from another zone\n"
            "  try: us-east-1a",
            id="a file system of another zone",
        ),
        pytest.param(
            changed(B200_ON_DISK, TWO_POOLS),
            "modelCache.storage.kind = 'ebs'\n"
            "  one node mounts a disk of EBS, and workers and frontends would be on the 2 of prompts and "
            "answers\n"
            "  allowed: fsxLustre, efs or instanceStore, for more nodes than one\n"
            "  try: instanceStore, a copy on each node; or one pool with nodes: 1",
            id="a disk for two pools",
        ),
        pytest.param(
            changed(B200_ON_NODES, {"modelCache.size": "40000Gi"}),
            "modelCache.size = '40000Gi'\n"
            "  the disks of a node of p6-b200.48xlarge are 8 x 3800 GB\n"
            "  allowed: 28312Gi or less",
            id="more than a node's disks hold",
        ),
        pytest.param(
            changed(eks_b200_settings(), TWO_POOLS, {"nodePools[1].zone": "us-east-1b"}),
            "modelCache.storage.kind = 'fsxLustre'\n"
            "  a file system of FSx for Lustre is in one zone, and the workers' pools prompts (us-east-1a) "
            "and answers (us-east-1b) are not\n"
            "  allowed: efs, instanceStore\n"
            "  try: efs, which has an address in every zone; or pools in one zone",
            id="a file system of one zone for two",
        ),
        pytest.param(
            changed(eks_gb200_settings(), LUSTRE),
            "modelCache.storage.kind = 'fsxLustre'\n"
            "  pool gb200 is in the Local Zone us-east-1-dfw-2a, in which no file system of FSx is "
            "documented: its nodes could only mount one across to the region\n"
            "  allowed: efs, ebs, instanceStore\n"
            "  try: instanceStore, a copy on each node; or, to load it over that distance, efs, or "
            "modelCache.storage.zone with a zone of the region",
            id="a file system for a Local Zone",
        ),
        pytest.param(
            changed(
                eks_gb200_settings(),
                LUSTRE,
                {
                    "modelCache.storage.zone": "us-east-1a",
                    "cluster.network.zones": ["us-east-1-dfw-2a", "us-east-1-chi-2a"],
                },
            ),
            "cluster.network.zones = 'us-east-1-dfw-2a, us-east-1-chi-2a'\n"
            "  EKS puts the control plane into two of the region's own zones, never into a Local Zone\n"
            "  allowed: two zones of the region or more\n"
            "Pulumi.dev.yaml: modelCache.storage.zone = 'us-east-1a'\n"
            "  no subnet of the stack is there, or it is a Local Zone, which has no file system of FSx",
            id="a file system of a stack that has Local Zones alone",
        ),
    ],
)
def test_what_could_not_be_mounted_is_refused_with_the_reason_and_the_fix(
    settings: Settings, text: str
) -> None:
    assert said(settings) == f"Pulumi.dev.yaml: {text}"


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(
            changed(eks_gb200_settings(), LUSTRE, {"modelCache.storage.zone": "us-east-1a"}),
            id="Lustre across to the region, where somebody typed its zone",
        ),
        pytest.param(changed(B200_ON_DISK, OTHER_ZONE), id="a disk, which has no zone of its own"),
        pytest.param(changed(B200_ON_NODES, OTHER_ZONE), id="copies, which have no zone of their own"),
    ],
)
def test_what_can_be_mounted_is_taken(settings: Settings) -> None:
    assert resolved(settings).infrastructure is not None
