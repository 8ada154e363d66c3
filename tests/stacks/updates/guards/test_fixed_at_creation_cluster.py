"""A cluster of the stack's own, once it is there: what may change, and what a person reads about the rest."""

from collections.abc import Callable
from typing import Any

import pytest

from stacks.updates.guards.fixed_at_creation import changed_problems, fixed_values
from tests.support.dev_settings import disagg_b200_settings, resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

Settings = dict[str, Any]
ADOPTED: Settings = {
    "kind": "existing",
    "vpcId": "vpc-0123456789abcdef0",
    "subnets": {"us-east-1a": "subnet-01234567", "us-east-1b": "subnet-01234568"},
}


def _said(before: Settings, now: Settings) -> list[str]:
    problems = changed_problems(fixed_values(resolved(before)), fixed_values(resolved(now)))
    return [problem.text("Pulumi.dev.yaml") for problem in problems]


def _cluster(**changes: object) -> Settings:
    settings = eks_b200_settings()
    settings["cluster"] |= changes
    return settings


def _network(**changes: object) -> Settings:
    settings = eks_b200_settings()
    settings["cluster"]["network"] |= changes
    return settings


def _in_another_region() -> Settings:
    settings = _cluster(region="us-west-2")
    settings["cluster"]["network"]["zones"] = ["us-west-2a", "us-west-2b"]
    settings["nodePools"][0]["zone"] = "us-west-2b"
    return settings


def _on_another_file_system() -> Settings:
    settings = eks_b200_settings()
    settings["modelCache"]["storage"] = {"kind": "efs"}
    return settings


def _pool_in_another_zone() -> Settings:
    settings = eks_b200_settings()
    settings["nodePools"][0]["zone"] = "us-east-1c"
    return settings


@pytest.mark.parametrize(
    ("now", "says"),
    [
        (lambda: _cluster(name="other"), "cluster.name = 'other'\n  fixed at gpt-oss"),
        (lambda: _cluster(accountId="210987654321"), "cluster.accountId = '210987654321'\n  fixed at 1234"),
        (
            lambda: _cluster(roles={"path": "/team/"}),
            "cluster.roles.path = '/team/'\n  fixed at / when this stack was created",
        ),
        (_in_another_region, "cluster.region = 'us-west-2'\n  fixed at us-east-1 when"),
        (lambda: _cluster(network=ADOPTED), "cluster.network.kind = 'existing'\n  fixed at own"),
        (
            lambda: _network(cidr="10.4.0.0/16"),
            "cluster.network.cidr = '10.4.0.0/16'\n  fixed at 10.0.0.0/16",
        ),
        (
            lambda: _network(zones=["us-east-1b", "us-east-1a"]),
            "cluster.network.zones = 'us-east-1b, us-east-1a'\n  fixed at us-east-1a, us-east-1b when",
        ),
        (
            lambda: _network(zones=["us-east-1a", "us-east-1b", "us-east-1c"]),
            "cluster.network.zones = 'us-east-1a, us-east-1b, us-east-1c'\n  fixed at us-east-1a, us-east-1b",
        ),
        (_on_another_file_system, "modelCache.storage.kind = 'efs'\n  fixed at fsxLustre"),
    ],
)
def test_what_would_replace_cluster_or_network_is_refused(now: Callable[[], Settings], says: str) -> None:
    text = _said(eks_b200_settings(), now())[0]
    assert f"Pulumi.dev.yaml: {says}" in text
    assert "when this stack was created; nothing was created or changed" in text


def test_a_stack_from_before_roles_had_paths_keeps_them_without_one() -> None:
    before = fixed_values(resolved(eks_b200_settings()))
    del before["cluster.roles.path"]
    assert changed_problems(before, fixed_values(resolved(eks_b200_settings()))) == ()
    [problem] = changed_problems(before, fixed_values(resolved(_cluster(roles={"path": "/team/"}))))
    assert "cluster.roles.path = '/team/'\n  fixed at /" in problem.text("Pulumi.dev.yaml")


def test_a_permissions_boundary_may_come_later() -> None:
    boundary = {"permissionsBoundary": "arn:aws:iam::123456789012:policy/boundary"}
    assert _said(eks_b200_settings(), _cluster(roles=boundary)) == []


def test_another_vpc_for_an_adopted_one_is_refused() -> None:
    other = ADOPTED | {"vpcId": "vpc-fedcba98"}
    [text] = _said(_cluster(network=ADOPTED), _cluster(network=other))
    assert "cluster.network.vpcId = 'vpc-fedcba98'\n  fixed at vpc-0123456789abcdef0" in text


def test_the_control_plane_of_an_adopted_vpc_stays_in_its_zones() -> None:
    more = ADOPTED | {"subnets": {**ADOPTED["subnets"], "us-east-1c": "subnet-01234569"}}
    [text] = _said(_cluster(network=ADOPTED), _cluster(network=more))
    assert "subnets = 'us-east-1a, us-east-1b, us-east-1c'\n  fixed at us-east-1a, us-east-1b" in text


def test_nodes_may_come_in_a_zone_in_which_the_control_plane_is_not() -> None:
    before, after = eks_b200_settings(), _pool_in_another_zone()
    for settings in (before, after):
        settings["modelCache"] = {"size": "150Gi", "storage": {"kind": "efs"}}
    assert _said(before, after) == []


def test_a_file_system_of_one_zone_holds_its_nodes_there() -> None:
    [text] = _said(eks_b200_settings(), _pool_in_another_zone())
    assert "modelCache.storage.zone = 'us-east-1c'\n  fixed at us-east-1a" in text
    assert "try: modelCache.storage.zone: us-east-1a; or" in text


def test_the_procedure_lifts_the_protection_before_it_destroys() -> None:
    [text] = _said(eks_b200_settings(), _cluster(name="other"))
    assert text.partition("  try: ")[2] == (
        "cluster.name: gpt-oss; or, with an interruption (docs/change-what-is-fixed.md):\n"
        "    1. with the old value again: lifecycle: disposable, then `pulumi up`; it lifts the protection, "
        "and the model is not kept\n"
        "    2. `pulumi destroy`, which forgets what was fixed\n"
        "    3. the new cluster.name, then `pulumi up`\n"
        "    4. without an interruption instead: a second stack with a cluster.name and GPUs of its own, "
        "then destroy this one"
    )


@pytest.mark.parametrize("way", [1, -1])
def test_a_cluster_of_another_kind_is_one_problem(way: int) -> None:
    before, now = [eks_b200_settings(), disagg_b200_settings()][::way]
    [text] = _said(before, now)
    assert "Pulumi.dev.yaml: cluster.kind = " in text


def test_what_belongs_to_a_network_of_another_kind_is_no_problem_of_its_own() -> None:
    assert len(_said(_cluster(network=ADOPTED), eks_b200_settings())) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s["cluster"].update(version="1.36", publicCidrs=["203.0.113.0/24"], monitoring=True),
        lambda s: s["cluster"].update(tags={"team": "serving"}, systemNodes={"nodes": 5}),
        lambda s: s["cluster"]["network"].update(natPerZone=True),
        lambda s: s["nodePools"][0].update(nodes=2),
        lambda s: s["modelCache"]["storage"].update(throughput=500),
        lambda s: s["nodePools"][0]["purchase"].update(id="cr-fedcba98", phase="waiting"),
        lambda s: s["nodePools"].append(eks_gb200_settings()["nodePools"][0]),
    ],
)
def test_the_rest_of_a_cluster_may_change(change: Callable[[Settings], object]) -> None:
    settings = eks_b200_settings()
    change(settings)
    assert _said(eks_b200_settings(), settings) == []


def test_a_stack_of_before_there_were_kinds_may_stay_where_it_is() -> None:
    before = {
        key: value
        for key, value in fixed_values(resolved(disagg_b200_settings())).items()
        if not key.startswith("cluster.")
    }
    assert changed_problems(before, fixed_values(resolved(disagg_b200_settings()))) == ()
