"""GPU nodes: who gets a shell on them, who watches them, and what a graph waits for."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.components.recorded import objects
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings
from tests.support.recordings import recorded_stack

if TYPE_CHECKING:
    from resource_graph import ResourceGraph

GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
WAIT = "Deployment gpu-nodes-ready-b200"


def made(settings: dict[str, Any] | None = None, **cluster: Any) -> ResourceGraph:
    settings = settings or eks_b200_settings()
    settings["cluster"] |= cluster
    return recorded_stack(resolved(settings))


def in_phase(phase: str) -> dict[str, Any]:
    settings = eks_b200_settings()
    settings["nodePools"][0]["purchase"]["phase"] = phase
    return settings


def user_data(graph: ResourceGraph, name: str) -> str:
    [template] = [each for each in graph.of_type(TEMPLATE) if each.name == f"{name}-nodes-template"]
    return base64.b64decode(str(template.inputs["userData"])).decode()


@pytest.mark.parametrize("allowed", [True, False])
def test_a_person_gets_a_shell_on_a_node_unless_that_is_switched_off(allowed: bool) -> None:
    graph = made() if allowed else made(sessionManager=False)
    policies = [
        str(each.inputs["policyArn"])
        for each in graph.of_type("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
        if each.name.startswith("node-role-")
    ]
    assert ("arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore" in policies) is allowed


def test_nodes_are_repaired_and_watched_only_where_that_is_typed() -> None:
    plain, watched = made(), made(nodeRepair=True, nodeMonitoring=True)
    assert all("nodeRepairConfig" not in each.inputs for each in plain.of_type(GROUP))
    assert [each.inputs["nodeRepairConfig"] for each in watched.of_type(GROUP)] == [{"enabled": True}] * 2
    agent = "addons-eks-node-monitoring-agent"
    names = [{each.name for each in graph.of_type("aws:eks/addon:Addon")} for graph in (plain, watched)]
    assert [agent in found for found in names] == [False, True]


def templates(graph: ResourceGraph) -> dict[str, Any]:
    return {each.name: each.inputs for each in graph.of_type(TEMPLATE)}


def test_tags_reach_nodes_with_their_disks_and_interfaces_where_that_is_typed() -> None:
    team = {"team": "search"}
    plain, tagged = made(tags=team), made(tags=team, tagNodes=True)
    for name, template in templates(plain).items():
        kinds = {each["resourceType"]: set(each["tags"]) for each in template["tagSpecifications"]}
        # A template of before: another one would exchange nodes that run.
        assert kinds == {"instance": {"Name"}, "volume": {"Name"}}, name
    for template in templates(tagged).values():
        kinds = {each["resourceType"]: each["tags"] for each in template["tagSpecifications"]}
        assert set(kinds) == {"instance", "volume", "network-interface"}
        for tags in kinds.values():
            assert tags == {**team, "dynamo-stack": "gpt-oss", "Name": template["name"]}


def test_volumes_of_claims_bear_the_tags_of_the_stack() -> None:
    addons = made(tags={"team": "search"}).of_type("aws:eks/addon:Addon")
    [driver] = [each for each in addons if each.name == "addons-aws-ebs-csi-driver"]
    told = json.loads(str(driver.inputs["configurationValues"]))
    assert told == {"controller": {"extraVolumeTags": {"dynamo-stack": "gpt-oss", "team": "search"}}}


def test_an_image_is_eks_choice_unless_its_release_is_typed() -> None:
    settings = eks_b200_settings()
    assert all("releaseVersion" not in each.inputs for each in made(settings).of_type(GROUP))
    settings["nodePools"][0]["amiRelease"] = "1.35.2-20261101"
    graph = made(settings, systemNodes={"amiRelease": "1.35.3-20261115"})
    releases = {each.name: each.inputs["releaseVersion"] for each in graph.of_type(GROUP)}
    assert releases == {"b200-nodes": "1.35.2-20261101", "system-nodes": "1.35.3-20261115"}


def test_the_root_disk_is_of_the_type_that_is_typed() -> None:
    settings = eks_b200_settings()
    settings["nodePools"][0]["rootVolumeType"] = "gp2"
    found = templates(made(settings))
    disks = {name: each["blockDeviceMappings"][0]["ebs"]["volumeType"] for name, each in found.items()}
    assert disks == {"b200-nodes-template": "gp2", "system-nodes-template": "gp3"}


def test_the_host_runs_no_imex_daemon_where_compute_domains_bring_their_own() -> None:
    trays, machine = user_data(made(eks_gb200_settings()), "gb200"), user_data(made(), "b200")
    assert "systemctl disable --now nvidia-imex.service\nsystemctl mask nvidia-imex.service\n" in trays
    assert "imex" not in machine
    for text in (trays, machine):
        assert "strategy: RAID0" in text
        assert text.rstrip().endswith("--//--")
    assert trays.count("--//\n") == 2


def test_a_graph_waits_twenty_minutes_at_most_for_nodes_that_show_their_gpus() -> None:
    graph = made()
    wait = objects(graph)[WAIT]
    assert wait.custom_timeouts.create == wait.custom_timeouts.update == 20 * 60
    spec: Any = wait.inputs["spec"]
    assert spec["progressDeadlineSeconds"] == 20 * 60
    pod = spec["template"]["spec"]
    assert (spec["replicas"], pod["nodeSelector"]) == (
        1,
        {"eks.amazonaws.com/nodegroup": "gpt-oss-b200", "nvidia.com/gpu.count": "8"},
    )
    # A pod on each node, which takes none of its GPUs.
    [alone] = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert alone["topologyKey"] == "kubernetes.io/hostname"
    assert "nvidia.com/gpu" not in pod["containers"][0]["resources"]["requests"]
    [served] = graph.kubernetes_objects("DynamoGraphDeployment")
    assert graph.depends_on(served, wait)
    [nodes] = [each for each in graph.of_type(GROUP) if each.name == "b200-nodes"]
    assert graph.depends_on(wait, nodes)


def test_nothing_waits_for_nodes_whose_window_has_not_opened() -> None:
    assert WAIT not in objects(made(in_phase("waiting")))
    assert WAIT in objects(made(in_phase("active")))


def test_another_purchase_is_waited_for_again_and_anything_else_is_not() -> None:
    def spec(**purchase: str) -> Any:
        settings = in_phase("active")
        settings["nodePools"][0]["purchase"] |= purchase
        settings["serving"]["replicas"] = {"prefill": 1, "decode": 1}
        return objects(made(settings))[WAIT].inputs["spec"]

    assert spec() == spec(starts="2026-12-02T11:30:00Z")
    assert spec() != spec(id="cr-fedcba9876543210f")


def test_a_subnet_that_only_a_pool_is_in_goes_with_the_pool() -> None:
    settings = eks_b200_settings()
    settings["nodePools"][0]["zone"] = "us-east-1c"
    settings["modelCache"] = {"size": "200Gi", "storage": {"kind": "efs"}}
    subnets = {
        each.name: each.protect
        for each in recorded_stack(resolved(settings))
        if each.type == "aws:ec2/subnet:Subnet"
    }
    assert subnets["network-private-us-east-1a"]
    assert not subnets["network-private-us-east-1c"]
