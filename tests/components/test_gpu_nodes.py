"""GPU nodes: who gets a shell on them, who watches them, and what a graph waits for."""

import base64
import json
from typing import Any

from resource_graph import ResourceGraph
from tests.components.recorded import ADDON, GROUP, TEMPLATE, in_phase, objects, only, recorded_eks
from tests.support.eks_settings import eks_b200_settings

WAIT = "Deployment gpu-nodes-ready-b200"
SHELL = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
TEAM = {"team": "search"}


def typed() -> ResourceGraph:
    """A stack in which everything about nodes is typed that has a default."""
    cluster = {
        "sessionManager": False,
        "nodeRepair": True,
        "nodeMonitoring": True,
        "tags": TEAM,
        "tagNodes": True,
        "systemNodes": {"amiRelease": "1.35.3-20261115"},
    }
    return recorded_eks(pool={"amiRelease": "1.35.2-20261101", "rootVolumeType": "gp2"}, cluster=cluster)


def of_nodes(graph: ResourceGraph, resource_type: str) -> dict[str, Any]:
    return {each.name: each.inputs for each in graph.of_type(resource_type)}


def user_data(name: str) -> str:
    template = only(recorded_eks(name), TEMPLATE, f"{name}-nodes-template").inputs
    return base64.b64decode(template["userData"]).decode()


def tags_of(template: Any) -> dict[str, Any]:
    return {each["resourceType"]: each["tags"] for each in template["tagSpecifications"]}


def test_a_person_gets_a_shell_on_a_node_unless_that_is_switched_off() -> None:
    attached = [
        {
            str(each.inputs["policyArn"])
            for each in graph.of_type("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
            if each.name.startswith("node-role-")
        }
        for graph in (recorded_eks(), typed())
    ]
    assert [SHELL in policies for policies in attached] == [True, False]


def test_nodes_are_repaired_and_watched_only_where_that_is_typed() -> None:
    plain, watched = recorded_eks(), typed()
    assert all("nodeRepairConfig" not in each for each in of_nodes(plain, GROUP).values())
    assert [each["nodeRepairConfig"] for each in of_nodes(watched, GROUP).values()] == [{"enabled": True}] * 2
    agent = "addons-eks-node-monitoring-agent"
    assert [agent in of_nodes(graph, ADDON) for graph in (plain, watched)] == [False, True]


def test_tags_reach_nodes_with_their_disks_and_interfaces_where_that_is_typed() -> None:
    for name, template in of_nodes(recorded_eks(cluster={"tags": TEAM}), TEMPLATE).items():
        # A template of before: another one would exchange nodes that run.
        kinds = {kind: set(tags) for kind, tags in tags_of(template).items()}
        assert kinds == {"instance": {"Name"}, "volume": {"Name"}}, name
    for template in of_nodes(typed(), TEMPLATE).values():
        tags = {**TEAM, "dynamo-stack": "gpt-oss", "Name": template["name"]}
        assert tags_of(template) == dict.fromkeys(("instance", "volume", "network-interface"), tags)


def test_volumes_of_claims_bear_the_tags_of_the_stack() -> None:
    driver = only(recorded_eks(cluster={"tags": TEAM}), ADDON, "addons-aws-ebs-csi-driver").inputs
    told = json.loads(str(driver["configurationValues"]))
    assert told == {"controller": {"extraVolumeTags": {"dynamo-stack": "gpt-oss", **TEAM}}}


def test_image_and_disk_are_the_choice_of_eks_unless_they_are_typed() -> None:
    assert all("releaseVersion" not in each for each in of_nodes(recorded_eks(), GROUP).values())
    releases = {name: each["releaseVersion"] for name, each in of_nodes(typed(), GROUP).items()}
    assert releases == {"b200-nodes": "1.35.2-20261101", "system-nodes": "1.35.3-20261115"}
    found = of_nodes(typed(), TEMPLATE)
    disks = {name: each["blockDeviceMappings"][0]["ebs"]["volumeType"] for name, each in found.items()}
    assert disks == {"b200-nodes-template": "gp2", "system-nodes-template": "gp3"}


def test_the_host_runs_no_imex_daemon_where_compute_domains_bring_their_own() -> None:
    trays = user_data("gb200")
    machine = user_data("b200")
    assert "systemctl disable --now nvidia-imex.service\nsystemctl mask nvidia-imex.service\n" in trays
    assert "imex" not in machine
    for text in (trays, machine):
        assert "strategy: RAID0" in text
        assert text.rstrip().endswith("--//--")
    assert trays.count("--//\n") == 2


def test_a_graph_waits_twenty_minutes_at_most_for_nodes_that_show_their_gpus() -> None:
    graph = recorded_eks()
    wait = objects(graph)[WAIT]
    assert wait.custom_timeouts.create == wait.custom_timeouts.update == 20 * 60
    spec: Any = wait.inputs["spec"]
    pod = spec["template"]["spec"]
    assert (spec["replicas"], spec["progressDeadlineSeconds"]) == (1, 20 * 60)
    assert pod["nodeSelector"] == {
        "eks.amazonaws.com/nodegroup": "gpt-oss-b200",
        "nvidia.com/gpu.count": "8",
    }
    # A pod on each node, which takes none of its GPUs.
    [alone] = pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    assert alone["topologyKey"] == "kubernetes.io/hostname"
    assert "nvidia.com/gpu" not in pod["containers"][0]["resources"]["requests"]
    assert graph.depends_on(only(graph, "DynamoGraphDeployment"), wait)
    assert graph.depends_on(wait, only(graph, GROUP, "b200-nodes"))
    assert WAIT not in objects(in_phase("waiting")), "its window has not opened"


def test_another_purchase_is_waited_for_again_and_anything_else_is_not() -> None:
    settings = eks_b200_settings()
    block = settings["nodePools"][0]["purchase"]
    later = block | {"starts": "2027-12-02T11:30:00Z"}
    another = block | {"id": "cr-fedcba9876543210f"}
    more = settings["serving"] | {"replicas": {"prefill": 1, "decode": 1}}
    specs = [
        objects(graph)[WAIT].inputs["spec"]
        for graph in (
            recorded_eks(),
            recorded_eks(pool={"purchase": later}, serving=more),
            recorded_eks(pool={"purchase": another}),
        )
    ]
    assert specs[0] == specs[1] != specs[2]
