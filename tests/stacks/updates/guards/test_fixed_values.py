"""Cluster and layers of a stack, once they are there: what may change, and what is read of the rest."""

import pytest

from stacks.updates.guards.fixed_at_creation import changed_problems, fixed_values
from tests.stacks.changed_settings import BY_THE_HOUR, NEWER_CLUSTER, ON_EFS, Change, Settings, changed
from tests.stacks.plan.layers.settings import ALL, layered, on_existing_cluster
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

NETWORK = "cluster.network"
SUBNETS = {"us-east-1a": "subnet-01234567", "us-east-1b": "subnet-01234568"}
ADOPTED: Change = {NETWORK: {"kind": "existing", "vpcId": "vpc-0123456789abcdef0", "subnets": SUBNETS}}
IN_ANOTHER_REGION: Change = {
    "cluster.region": "us-west-2",
    "cluster.network.zones": ["us-west-2a", "us-west-2b"],
    "nodePools[0].zone": "us-west-2b",
}
TEAM_PATH: Change = {"cluster.roles": {"path": "/team/"}}
POOL_ELSEWHERE: Change = {"nodePools[0].zone": "us-east-1c"}


def _said(before: Settings, now: Settings) -> list[str]:
    problems = changed_problems(fixed_values(resolved(before)), fixed_values(resolved(now)))
    return [problem.text("Pulumi.dev.yaml") for problem in problems]


def _cluster(*changes: Change) -> Settings:
    return changed(eks_b200_settings(), *changes)


@pytest.mark.parametrize(
    ("before", "now", "says"),
    [
        ({}, {"cluster.name": "other"}, "cluster.name = 'other'\n  fixed at gpt-oss"),
        (
            {},
            {"cluster.accountId": "210987654321"},
            "cluster.accountId = '210987654321'\n  fixed at 123456789012",
        ),
        ({}, TEAM_PATH, "cluster.roles.path = '/team/'\n  fixed at /"),
        ({}, IN_ANOTHER_REGION, "cluster.region = 'us-west-2'\n  fixed at us-east-1"),
        ({}, ADOPTED, "cluster.network.kind = 'existing'\n  fixed at own"),
        (ADOPTED, {}, "cluster.network.kind = 'own'\n  fixed at existing"),
        (
            ADOPTED,
            ADOPTED | {"cluster.network.vpcId": "vpc-fedcba98"},
            "cluster.network.vpcId = 'vpc-fedcba98'\n  fixed at vpc-0123456789abcdef0",
        ),
        (
            ADOPTED,
            ADOPTED | {"cluster.network.subnets.us-east-1c": "subnet-01234569"},
            "cluster.network.subnets = 'us-east-1a, us-east-1b, us-east-1c'\n"
            "  fixed at us-east-1a, us-east-1b",
        ),
        (
            {},
            {"cluster.network.cidr": "10.4.0.0/16"},
            "cluster.network.cidr = '10.4.0.0/16'\n  fixed at 10.0.0.0/16",
        ),
        (
            {},
            {"cluster.network.zones": ["us-east-1b", "us-east-1a"]},
            "cluster.network.zones = 'us-east-1b, us-east-1a'\n  fixed at us-east-1a, us-east-1b",
        ),
        (
            {},
            {"modelCache.storage": {"kind": "efs"}},
            "modelCache.storage.kind = 'efs'\n  fixed at fsxLustre",
        ),
        ({}, POOL_ELSEWHERE, "modelCache.storage.zone = 'us-east-1c'\n  fixed at us-east-1a"),
    ],
)
def test_what_would_replace_cluster_network_or_file_system_is_refused(
    before: Change, now: Change, says: str
) -> None:
    text = "\n".join(_said(_cluster(before), _cluster(now)))
    assert f"Pulumi.dev.yaml: {says} when this stack was created; nothing was created or changed" in text


@pytest.mark.parametrize("way", [1, -1])
def test_a_cluster_of_another_kind_is_one_problem(way: int) -> None:
    before, now = [eks_b200_settings(), disagg_b200_settings()][::way]
    [text] = _said(before, now)
    assert "Pulumi.dev.yaml: cluster.kind = " in text


@pytest.mark.parametrize(
    "change",
    [
        NEWER_CLUSTER,
        {"cluster.publicCidrs": ["203.0.113.0/24"], "cluster.monitoring": True},
        {"cluster.tags": {"team": "serving"}, "cluster.systemNodes": {"nodes": 5}},
        {"cluster.roles": {"permissionsBoundary": "arn:aws:iam::123456789012:policy/boundary"}},
        {"cluster.network.natPerZone": True},
        {"modelCache.storage.throughput": 500},
        {"nodePools[0].nodes": 2, **BY_THE_HOUR},
        {"nodePools": [*eks_b200_settings()["nodePools"], eks_gb200_settings()["nodePools"][0]]},
    ],
)
def test_the_rest_of_a_cluster_may_change(change: Change) -> None:
    assert _said(_cluster(), _cluster(change)) == []


def test_nodes_may_come_in_a_zone_in_which_the_control_plane_is_not() -> None:
    assert _said(_cluster(ON_EFS), _cluster(ON_EFS, POOL_ELSEWHERE)) == []


@pytest.mark.parametrize(
    ("before", "now", "says"),
    [
        (
            eks_b200_settings(),
            layered("infrastructure", "platform"),
            "infrastructure, platform'\n  fixed at infrastructure, platform, serving",
        ),
        (layered("platform"), layered("platform", "serving"), "platform, serving'\n  fixed at platform"),
        (layered("serving"), layered("platform", "serving"), "platform, serving'\n  fixed at serving"),
        (
            disagg_b200_settings(),
            on_existing_cluster("platform"),
            "platform'\n  fixed at platform, serving",
        ),
    ],
)
def test_a_layer_that_comes_or_goes_is_one_problem(before: Settings, now: Settings, says: str) -> None:
    [text] = [each for each in _said(before, now) if ": layers = " in each]
    assert f"Pulumi.dev.yaml: layers = '{says} when this stack was created" in text


@pytest.mark.parametrize(
    ("before", "now"),
    [
        pytest.param(eks_b200_settings(), layered(*ALL), id="a stack with everything begins to share it"),
        pytest.param(
            layered("platform"),
            layered("platform", layerStacks={"infrastructure": "base-of-all"}),
            id="the owner has another name",
        ),
    ],
)
def test_layers_that_stay_with_their_stack_are_no_change(before: Settings, now: Settings) -> None:
    assert _said(before, now) == []


def test_a_stack_fixes_of_other_layers_only_which_they_are() -> None:
    serving = fixed_values(resolved(layered("serving")))
    assert {"cluster.name", "cluster.region", "modelCache.storage.kind"} <= serving.keys()
    assert not {"cluster.network.zones", "platform.nats.members", "platform.discovery"} & serving.keys()
    infrastructure = fixed_values(resolved(layered("infrastructure")))
    assert not any(key.startswith("platform.") for key in infrastructure)
