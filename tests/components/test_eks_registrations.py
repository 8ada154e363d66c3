"""What the program registers of a cluster of its own."""

import json
from typing import Any

import pytest

from components.eks_cluster import kubeconfig
from operations import project
from resource_graph import UNKNOWN, has_unknown
from stacks.settings.load import parse_settings
from tests.components.recorded import (
    ADDON,
    EFS_CACHE,
    EVERY_EKS,
    GROUP,
    RELEASE,
    SUBNET,
    TEMPLATE,
    only,
    recorded_eks,
)
from tests.support.dev_settings import resolved
from tests.support.eks_settings import ACCOUNT, eks_b200_settings

CLUSTER = "aws:eks/cluster:Cluster"
PLACEMENT_GROUP = "aws:ec2/placementGroup:PlacementGroup"
ID = "cr-0123456789abcdef0"
DEPLOYER = "arn:aws:iam::123456789012:role/deployer"


@EVERY_EKS
def test_a_system_node_is_in_the_group_that_eks_makes_and_in_no_other(name: str) -> None:
    graph = recorded_eks(name)
    template = only(graph, TEMPLATE, "system-nodes-template")
    [interface] = template.inputs["networkInterfaces"]
    # An interface that names none is in the VPC's default group, and its node never joins.
    assert interface["securityGroups"] == [UNKNOWN]
    assert template.property_dependencies["networkInterfaces"] == {only(graph, CLUSTER).urn}


@EVERY_EKS
def test_a_managed_group_gets_a_template_that_eks_takes(name: str) -> None:
    graph = recorded_eks(name)
    for template in graph.of_type(TEMPLATE):
        interfaces: Any = template.inputs["networkInterfaces"]
        assert all("subnetId" not in each for each in interfaces)
        assert not {"imageId", "securityGroupNames", "iamInstanceProfile"} & template.inputs.keys()
    for group in graph.of_type(GROUP):
        assert not {"diskSize", "remoteAccess", "instanceTypes"} & group.inputs.keys()


@EVERY_EKS
def test_nodes_answer_imdsv2_only_have_encrypted_disks_and_no_public_address(name: str) -> None:
    for template in recorded_eks(name).of_type(TEMPLATE):
        inputs: Any = template.inputs
        assert inputs["metadataOptions"]["httpTokens"] == "required"
        assert inputs["metadataOptions"]["httpPutResponseHopLimit"] == 1
        assert [each["ebs"]["encrypted"] for each in inputs["blockDeviceMappings"]] == ["true"]
        interfaces = inputs["networkInterfaces"]
        public = [each.get("associatePublicIpAddress") for each in interfaces]
        # EC2 gives no public address to a launch with several interfaces and refuses the parameter there.
        assert public == (["false"] if len(interfaces) == 1 else [None] * len(interfaces))


_PURCHASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a block, as shipped, is named and in no group": (
        {},
        {"capacityType": "CAPACITY_BLOCK", "market": {"marketType": "capacity-block"}, "reservation": ID},
    ),
    "a reservation without a group": (
        {"nodes": 2, "purchase": {"kind": "reservation", "id": ID}},
        {"capacityType": "ON_DEMAND", "reservation": ID},
    ),
    "a reservation in the group that it was made in": (
        {"nodes": 2, "purchase": {"kind": "reservation", "id": ID, "placementGroup": "our-group"}},
        {"capacityType": "ON_DEMAND", "reservation": ID, "placement": {"groupName": "our-group"}},
    ),
    "on demand in a new group": (
        {"nodes": 2, "purchase": {"kind": "onDemand"}},
        {"capacityType": "ON_DEMAND", "placement": {"groupName": "gpt-oss-b200"}, "groups": 1},
    ),
    "spot wherever there is room": (
        {"nodes": 2, "purchase": {"kind": "spot"}},
        {"capacityType": "SPOT"},
    ),
}


@pytest.mark.parametrize("case", _PURCHASES)
def test_nodes_are_bought_as_typed(case: str) -> None:
    pool, expected = _PURCHASES[case]
    graph = recorded_eks(pool=pool)
    template = only(graph, TEMPLATE, "b200-nodes-template").inputs
    target = template.get("capacityReservationSpecification", {}).get("capacityReservationTarget", {})
    found = {
        "capacityType": only(graph, GROUP, "b200-nodes").inputs["capacityType"],
        "market": template.get("instanceMarketOptions"),
        "reservation": target.get("capacityReservationId"),
        "placement": template.get("placement"),
        "groups": len(graph.of_type(PLACEMENT_GROUP)),
    }
    assert {key: value for key, value in found.items() if value} == expected


@EVERY_EKS
def test_gpu_nodes_are_tainted_join_their_disks_and_end_before_new_ones_start(name: str) -> None:
    graph = recorded_eks(name)
    gpu, system = (only(graph, GROUP, f"{each}-nodes").inputs for each in (name, "system"))
    assert gpu["taints"] == [{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}]
    assert "userData" in only(graph, TEMPLATE, f"{name}-nodes-template").inputs
    assert "userData" not in only(graph, TEMPLATE, "system-nodes-template").inputs
    assert gpu["updateConfig"] == {"maxUnavailable": 1, "updateStrategy": "MINIMAL"}
    # Of these there is always one more.
    assert system["updateConfig"] == {"maxUnavailable": 1}
    # The engine must know it without asking the provider, which it does not do where nothing has changed.
    assert [each.delete_before_replace for each in graph.of_type(GROUP)] == [True, True]
    assert gpu["version"] == system["version"] == only(graph, CLUSTER).inputs["version"]


@EVERY_EKS
def test_the_control_plane_is_private_encrypted_logged_and_in_two_zones_of_the_region(name: str) -> None:
    cluster = only(recorded_eks(name), CLUSTER).inputs
    network = cluster["vpcConfig"]
    assert (network["endpointPrivateAccess"], network["endpointPublicAccess"]) == (True, False)
    assert len(network["subnetIds"]) == 2
    assert cluster["accessConfig"]["authenticationMode"] == "API"
    assert cluster["encryptionConfig"]["resources"] == ["secrets"]
    assert len(cluster["enabledClusterLogTypes"]) == 5


def test_a_zone_of_a_pool_alone_has_a_subnet_that_goes_with_the_pool_and_nothing_that_cannot_move() -> None:
    before = recorded_eks()
    graph = recorded_eks(pool={"zone": "us-east-1c"}, modelCache=EFS_CACHE)
    subnet = only(graph, SUBNET, "network-private-us-east-1c")
    assert subnet.inputs["availabilityZone"] == "us-east-1c"
    assert not subnet.protect
    assert only(graph, SUBNET, "network-private-us-east-1a").protect
    for resource_type, name in ((CLUSTER, "eks"), (GROUP, "system-nodes")):
        assert only(graph, resource_type, name).inputs == only(before, resource_type, name).inputs
    assert graph.depends_on(only(graph, GROUP, "b200-nodes"), subnet)


def test_what_a_run_takes_over_by_name_is_not_written_into_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_K8S_UPSERT_EXISTING_OBJECTS", "true")
    provider = only(project.recorded_stack(resolved(eks_b200_settings())), "pulumi:providers:kubernetes")
    assert "upsertExistingObjects" not in provider.inputs


@EVERY_EKS
def test_the_account_is_named_and_the_kubeconfig_is_known_only_after_the_cluster_is(name: str) -> None:
    graph = recorded_eks(name)
    account = only(graph, "pulumi:providers:aws").inputs
    # Other credentials change nothing.
    assert json.loads(str(account["allowedAccountIds"])) == [ACCOUNT]
    assert account["region"] == "us-east-1"
    assert "assumeRoles" not in account
    provider = only(graph, "pulumi:providers:kubernetes").inputs
    assert has_unknown(provider["kubeconfig"])
    assert provider["clusterIdentifier"] == "gpt-oss"


def test_a_role_that_is_assumed_reaches_account_and_cluster() -> None:
    account = only(recorded_eks(cluster={"assumeRole": DEPLOYER}), "pulumi:providers:aws").inputs
    assert json.loads(str(account["assumeRoles"])) == [{"roleArn": DEPLOYER}]


@pytest.mark.parametrize("words", [[], ["--role-arn", DEPLOYER]], ids=["own", "assumed"])
def test_a_token_of_the_cluster_is_that_of_the_assumed_role(words: list[str]) -> None:
    settings = eks_b200_settings()
    settings["cluster"] |= {"assumeRole": words[1]} if words else {}
    cluster: Any = parse_settings(settings, "Pulumi.dev.yaml").cluster
    [user] = json.loads(kubeconfig("one", "https://one", "LS0t", cluster))["users"]
    asked = ["eks", "get-token", "--cluster-name", "one", "--region", "us-east-1"]
    assert user["user"]["exec"]["args"] == [*asked, *words]


@EVERY_EKS
def test_a_graph_waits_for_its_nodes_and_for_what_hands_out_their_devices(name: str) -> None:
    graph = recorded_eks(name)
    served = only(graph, "DynamoGraphDeployment")
    assert graph.depends_on(served, only(graph, GROUP, f"{name}-nodes"))
    for release in ("gpu-operator", "efa-device-plugin"):
        assert graph.depends_on(served, only(graph, RELEASE, release))
    assert (name == "gb200") == any(each.name == "dra-driver" for each in graph.of_type(RELEASE))


def test_one_release_alone_brings_the_definition_of_compute_domains() -> None:
    graph = recorded_eks("gb200")
    driver, operator = only(graph, RELEASE, "dra-driver"), only(graph, RELEASE, "gpu-operator")
    assert driver.inputs["skipCrds"] is True
    assert "skipCrds" not in operator.inputs
    assert graph.depends_on(driver, operator)


@pytest.mark.parametrize(("name", "bytes_at_most"), [("b200", None), ("gb200", "8801")])
def test_the_cni_enforces_policies_and_packets_fit_the_link_between_a_local_zone_and_its_region(
    name: str, bytes_at_most: str | None
) -> None:
    values = json.loads(only(recorded_eks(name), ADDON, "eks-vpc-cni").inputs["configurationValues"])
    assert values["enableNetworkPolicy"] == "true"
    assert values.get("env", {}).get("AWS_VPC_ENI_MTU") == bytes_at_most


@EVERY_EKS
def test_these_policies_of_aws_are_attached_and_no_other(name: str) -> None:
    attached = {
        str(each.inputs["policyArn"]).removeprefix("arn:aws:iam::aws:policy/")
        for each in recorded_eks(name).of_type("aws:iam/rolePolicyAttachment:RolePolicyAttachment")
    }
    assert attached == {
        "AmazonEKSClusterPolicy",
        "AmazonEKSWorkerNodePolicy",
        "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
        "AmazonEKS_CNI_Policy",
        "service-role/AmazonEBSCSIDriverPolicy",
    }
    # What mounts a file system that the stack has made asks AWS for nothing.
    roles = {str(each.inputs["name"]) for each in recorded_eks(name).of_type("aws:iam/role:Role")}
    assert not {each for each in roles if "fsx" in each or "efs" in each}
