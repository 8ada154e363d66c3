"""What the program registers of a cluster of its own."""

import functools
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from hardware import INSTANCE_TYPES
from operations import project
from resource_graph import UNKNOWN, Resource, ResourceGraph, has_unknown
from tests.support.dev_settings import resolved
from tests.support.eks_settings import ACCOUNT, eks_b200_settings, eks_gb200_settings
from tests.support.recordings import recorded_stack

Settings = dict[str, Any]

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:eks/nodeGroup:NodeGroup"
STACKS: Mapping[str, Callable[[], Settings]] = {"b200": eks_b200_settings, "gb200": eks_gb200_settings}
EVERY_STACK = pytest.mark.parametrize("name", STACKS)


@functools.cache
def recorded(name: str) -> ResourceGraph:
    return recorded_stack(resolved(STACKS[name]()))


def with_purchase(**purchase: Any) -> ResourceGraph:
    settings = eks_b200_settings()
    settings["nodePools"][0]["purchase"] = purchase
    return recorded_stack(resolved(settings))


def only(graph: ResourceGraph, resource_type: str, name: str | None = None) -> Any:
    found = [each for each in graph.of_type(resource_type) if name in {None, each.name}]
    assert len(found) == 1, [each.name for each in found]
    return found[0]


def depends(graph: ResourceGraph, dependent: Resource, resource_type: str, name: str) -> bool:
    return graph.depends_on(dependent, only(graph, resource_type, name))


@pytest.mark.parametrize(("name", "efa"), [("b200", 8), ("gb200", 4)])
def test_a_template_has_the_network_cards_of_its_instance_type(name: str, efa: int) -> None:
    template = only(recorded(name), TEMPLATE, f"{name}-nodes-template").inputs
    interfaces = template["networkInterfaces"]
    first, *others = interfaces
    assert (first["networkCardIndex"], first["deviceIndex"], first["interfaceType"]) == (0, 0, "interface")
    assert [each["interfaceType"] for each in others] == ["efa-only"] * efa
    assert all(len(each["securityGroups"]) == 2 for each in interfaces)
    layout = INSTANCE_TYPES[template["instanceType"]].network.interfaces
    assert [(each["networkCardIndex"], each["deviceIndex"]) for each in interfaces] == [
        (each.card, each.device) for each in layout
    ]


@EVERY_STACK
def test_a_system_node_is_in_the_group_that_eks_makes_and_in_no_other(name: str) -> None:
    graph = recorded(name)
    template = only(graph, TEMPLATE, "system-nodes-template")
    [interface] = template.inputs["networkInterfaces"]
    # An interface that names none is in the VPC's default group, and its node never joins.
    assert interface["securityGroups"] == [UNKNOWN]
    cluster = only(graph, "aws:eks/cluster:Cluster")
    assert template.property_dependencies["networkInterfaces"] == {cluster.urn}


@EVERY_STACK
def test_a_template_of_a_managed_group_names_no_subnet_and_no_image(name: str) -> None:
    graph = recorded(name)
    for template in graph.of_type(TEMPLATE):
        interfaces: Any = template.inputs.get("networkInterfaces") or []
        assert all("subnetId" not in each for each in interfaces)
        assert not {"imageId", "securityGroupNames", "iamInstanceProfile"} & template.inputs.keys()
    for group in graph.of_type(GROUP):
        assert not {"diskSize", "remoteAccess", "instanceTypes"} & group.inputs.keys()


@EVERY_STACK
def test_nodes_answer_imdsv2_only_and_their_disks_are_encrypted(name: str) -> None:
    for template in recorded(name).of_type(TEMPLATE):
        inputs: Any = template.inputs
        assert inputs["metadataOptions"]["httpTokens"] == "required"
        assert inputs["metadataOptions"]["httpPutResponseHopLimit"] == 1
        assert [each["ebs"]["encrypted"] for each in inputs["blockDeviceMappings"]] == ["true"]


def test_a_capacity_block_is_named_by_template_and_group_and_gets_no_placement_group() -> None:
    graph = recorded("b200")
    template = only(graph, TEMPLATE, "b200-nodes-template").inputs
    assert template["instanceMarketOptions"] == {"marketType": "capacity-block"}
    target = template["capacityReservationSpecification"]["capacityReservationTarget"]
    assert target == {"capacityReservationId": "cr-0123456789abcdef0"}
    assert only(graph, GROUP, "b200-nodes").inputs["capacityType"] == "CAPACITY_BLOCK"
    assert graph.of_type("aws:ec2/placementGroup:PlacementGroup") == ()


@pytest.mark.parametrize(
    ("purchase", "capacity_type"),
    [
        ({"kind": "onDemand"}, "ON_DEMAND"),
        ({"kind": "spot"}, "SPOT"),
        ({"kind": "reservation", "id": "cr-0123456789abcdef0"}, "ON_DEMAND"),
    ],
)
def test_what_is_bought_otherwise_has_no_market_in_its_template(
    purchase: dict[str, str], capacity_type: str
) -> None:
    graph = with_purchase(**purchase)
    assert "instanceMarketOptions" not in only(graph, TEMPLATE, "b200-nodes-template").inputs
    assert only(graph, GROUP, "b200-nodes").inputs["capacityType"] == capacity_type


def test_a_reservation_stays_in_the_placement_group_that_it_was_made_in() -> None:
    settings = eks_b200_settings()
    pool = settings["nodePools"][0]
    pool |= {"nodes": 2, "purchase": {"kind": "reservation", "id": "cr-0123456789abcdef0"}}
    outside = recorded_stack(resolved(settings))
    pool["purchase"]["placementGroup"] = "our-group"
    inside = recorded_stack(resolved(settings))
    pool["purchase"] = {"kind": "onDemand"}
    new = recorded_stack(resolved(settings))
    templates = [only(graph, TEMPLATE, "b200-nodes-template").inputs for graph in (outside, inside, new)]
    assert "placement" not in templates[0]
    assert templates[1]["placement"] == {"groupName": "our-group"}
    made = [len(graph.of_type("aws:ec2/placementGroup:PlacementGroup")) for graph in (outside, inside, new)]
    assert made == [0, 0, 1]


@EVERY_STACK
def test_no_node_gets_a_public_address_whatever_its_subnet_gives(name: str) -> None:
    for template in recorded(name).of_type(TEMPLATE):
        interfaces: Any = template.inputs["networkInterfaces"]
        public = [each.get("associatePublicIpAddress") for each in interfaces]
        # EC2 gives no public address to a launch with several interfaces and refuses the parameter there.
        assert public == (["false"] if len(interfaces) == 1 else [None] * len(interfaces))


@EVERY_STACK
def test_every_security_group_that_is_made_belongs_to_something(name: str) -> None:
    graph = recorded(name)
    users = (TEMPLATE, "aws:fsx/lustreFileSystem:LustreFileSystem", "aws:efs/mountTarget:MountTarget")
    used = [each for kind in users for each in graph.of_type(kind)]
    groups = graph.of_type("aws:ec2/securityGroup:SecurityGroup")
    assert groups
    for group in groups:
        assert any(graph.depends_on(each, group) for each in used), group.name


def test_the_driver_of_lustre_asks_no_metadata_for_its_region() -> None:
    addon = only(recorded("b200"), "aws:eks/addon:Addon", "addons-aws-fsx-csi-driver").inputs
    assert json.loads(addon["configurationValues"]) == {"controller": {"region": "us-east-1"}}


def test_clients_and_servers_of_lustre_open_connections_to_each_other() -> None:
    graph = recorded("b200")
    seen = set[tuple[str, str, int, int]]()
    for kind in ("Ingress", "Egress"):
        for rule in graph.of_type(f"aws:vpc/securityGroup{kind}Rule:SecurityGroup{kind}Rule"):
            if rule.name.startswith("cache-storage-lustre-") and "fromPort" in rule.inputs:
                if rule.name.endswith("-itself"):
                    continue
                at = "nodes" if rule.name.endswith("-from-servers") else "servers"
                seen.add((kind, at, rule.inputs["fromPort"], rule.inputs["toPort"]))
    ports = ((988, 988), (1018, 1023))
    # A node sends to anywhere already, by the group that EKS makes.
    ways = (("Ingress", "servers"), ("Egress", "servers"), ("Ingress", "nodes"))
    assert seen == {(*way, *each) for way in ways for each in ports}


@EVERY_STACK
def test_gpu_nodes_are_tainted_and_join_their_disks(name: str) -> None:
    graph = recorded(name)
    assert only(graph, GROUP, f"{name}-nodes").inputs["taints"] == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}
    ]
    assert "userData" in only(graph, TEMPLATE, f"{name}-nodes-template").inputs
    assert "userData" not in only(graph, TEMPLATE, "system-nodes-template").inputs


@EVERY_STACK
def test_gpu_nodes_end_before_new_ones_start_and_all_nodes_follow_the_control_plane(name: str) -> None:
    graph = recorded(name)
    gpu, system = (only(graph, GROUP, f"{each}-nodes").inputs for each in (name, "system"))
    assert gpu["updateConfig"] == {"maxUnavailable": 1, "updateStrategy": "MINIMAL"}
    # Of these there is always one more.
    assert system["updateConfig"] == {"maxUnavailable": 1}
    cluster = only(graph, "aws:eks/cluster:Cluster").inputs["version"]
    assert (gpu["version"], system["version"]) == (cluster, cluster)


@EVERY_STACK
def test_the_control_plane_is_private_encrypted_logged_and_in_two_zones_of_the_region(name: str) -> None:
    cluster = only(recorded(name), "aws:eks/cluster:Cluster").inputs
    assert (cluster["vpcConfig"]["endpointPrivateAccess"], cluster["vpcConfig"]["endpointPublicAccess"]) == (
        True,
        False,
    )
    assert len(cluster["vpcConfig"]["subnetIds"]) == 2
    assert cluster["accessConfig"]["authenticationMode"] == "API"
    assert cluster["encryptionConfig"]["resources"] == ["secrets"]
    assert len(cluster["enabledClusterLogTypes"]) == 5


def test_a_zone_of_a_pool_alone_has_a_subnet_for_its_nodes_and_nothing_that_cannot_move() -> None:
    settings = eks_b200_settings()
    settings["nodePools"][0]["zone"] = "us-east-1c"
    graph, before = recorded_stack(resolved(settings)), recorded("b200")
    private = "network-private-us-east-1c"
    assert only(graph, "aws:ec2/subnet:Subnet", private).inputs["availabilityZone"] == "us-east-1c"
    for resource_type, name in (("aws:eks/cluster:Cluster", "eks"), (GROUP, "system-nodes")):
        moved, stays = only(graph, resource_type, name), only(before, resource_type, name)
        assert moved.inputs == stays.inputs
    assert depends(graph, only(graph, GROUP, "b200-nodes"), "aws:ec2/subnet:Subnet", private)


def test_what_a_run_takes_over_by_name_is_not_written_into_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_K8S_UPSERT_EXISTING_OBJECTS", "true")
    provider = only(project.recorded_stack(resolved(eks_b200_settings())), "pulumi:providers:kubernetes")
    assert "upsertExistingObjects" not in provider.inputs


@EVERY_STACK
def test_the_account_is_named_so_that_other_credentials_change_nothing(name: str) -> None:
    provider = only(recorded(name), "pulumi:providers:aws").inputs
    assert json.loads(str(provider["allowedAccountIds"])) == [ACCOUNT]
    assert provider["region"] == "us-east-1"


@EVERY_STACK
def test_cluster_network_and_their_keys_are_protected_in_production(name: str) -> None:
    protected = {each.name for each in recorded(name) if each.protect}
    assert {"eks", "network-vpc", "eks-secrets-key", "network-private-us-east-1a"} <= protected


@EVERY_STACK
def test_the_kubeconfig_is_known_only_after_the_cluster_is(name: str) -> None:
    provider = only(recorded(name), "pulumi:providers:kubernetes").inputs
    assert has_unknown(provider["kubeconfig"])
    assert provider["clusterIdentifier"] == "gpt-oss"


@EVERY_STACK
def test_a_graph_waits_for_its_nodes_and_for_what_hands_out_their_devices(name: str) -> None:
    graph = recorded(name)
    (served,) = graph.kubernetes_objects("DynamoGraphDeployment")
    assert depends(graph, served, GROUP, f"{name}-nodes")
    release = "kubernetes:helm.sh/v3:Release"
    assert depends(graph, served, release, "gpu-operator")
    assert depends(graph, served, release, "efa-device-plugin")
    assert (name == "gb200") == any(each.name == "dra-driver" for each in graph.of_type(release))


def test_one_release_alone_brings_the_definition_of_compute_domains() -> None:
    graph = recorded("gb200")
    release = "kubernetes:helm.sh/v3:Release"
    driver = only(graph, release, "dra-driver")
    assert driver.inputs["skipCrds"] is True
    assert "skipCrds" not in only(graph, release, "gpu-operator").inputs
    assert depends(graph, driver, release, "gpu-operator")


@EVERY_STACK
def test_the_cni_enforces_network_policies(name: str) -> None:
    inputs = only(recorded(name), "aws:eks/addon:Addon", "eks-vpc-cni").inputs
    assert json.loads(inputs["configurationValues"])["enableNetworkPolicy"] == "true"


@pytest.mark.parametrize(("name", "bytes_at_most"), [("b200", None), ("gb200", "8801")])
def test_packets_of_pods_fit_the_link_between_a_local_zone_and_its_region(
    name: str, bytes_at_most: str | None
) -> None:
    inputs = only(recorded(name), "aws:eks/addon:Addon", "eks-vpc-cni").inputs
    variables = json.loads(inputs["configurationValues"]).get("env", {})
    assert variables.get("AWS_VPC_ENI_MTU") == bytes_at_most


@EVERY_STACK
def test_every_attached_policy_of_aws_is_on_the_list_with_reasons(name: str) -> None:
    attached = {
        str(each.inputs["policyArn"]).removeprefix("arn:aws:iam::aws:policy/")
        for each in recorded(name).of_type("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    }
    always = {
        "AmazonEKSClusterPolicy",
        "AmazonEKSWorkerNodePolicy",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
        "AmazonEKS_CNI_Policy",
        "service-role/AmazonEBSCSIDriverPolicy",
    }
    assert attached == always
    # What mounts a file system that the stack has made asks AWS for nothing.
    roles = {str(each.inputs["name"]) for each in recorded(name).of_type("aws:iam/role:Role")}
    assert not {each for each in roles if "fsx" in each or "efs" in each}
