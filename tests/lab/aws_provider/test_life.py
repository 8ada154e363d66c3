"""Create, read, change and delete, as the engine asks for them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from lab.aws_provider.catalogue import TYPES
from lab.provider_service.errors import Gone, ProviderError
from lab.provider_service.naming import token_of
from lab.provider_service.values import UNKNOWN, plain_map, to_properties
from tests.lab.aws_provider.account import changed, make, trust, update
from tests.lab.aws_provider.resources import everything

if TYPE_CHECKING:
    from lab.aws_provider.provider import Provider
    from tests.lab.aws_provider.account import Account, Made


@pytest.fixture(scope="module")
def provider(account: Account) -> Provider:
    return account.provider(defaultTags=json.dumps({"tags": {"team": "lab"}}))


@pytest.fixture(scope="module")
def made(provider: Provider) -> dict[str, Made]:
    return everything(provider)


def test_one_of_each_type_is_made(made: dict[str, Made]) -> None:
    assert {token_of(item.urn) for item in made.values()} == set(TYPES)


def test_nothing_differs_after_a_create(provider: Provider, made: dict[str, Made]) -> None:
    differences = {label: changed(provider, item).difference.fields for label, item in made.items()}
    assert {label: fields for label, fields in differences.items() if fields} == {}


def test_a_refresh_finds_what_a_create_recorded(provider: Provider, made: dict[str, Made]) -> None:
    for label, item in made.items():
        state, inputs = provider.read(item.urn, item.id, item.state, item.inputs)
        assert plain_map(state) == item.outputs, label
        assert plain_map(inputs) == plain_map(item.inputs), label


def test_nothing_is_imported(provider: Provider, made: dict[str, Made]) -> None:
    with pytest.raises(ProviderError, match="this stand-in imports no aws:ec2/vpc:Vpc"):
        provider.read(made["vpc"].urn, made["vpc"].id, {}, {})


def test_tags_are_the_programs_and_the_providers(provider: Provider, made: dict[str, Made]) -> None:
    outputs = made["vpc"].outputs
    assert (outputs["tags"], outputs["tagsAll"]) == ({"Name": "net"}, {"Name": "net", "team": "lab"})


def test_a_preview_calls_nothing_and_knows_no_outputs(account: Account, provider: Provider) -> None:
    before = len(account.requests())
    urn = "urn:pulumi:test::toy::aws:eks/cluster:Cluster::new"
    inputs = {"name": "new", "roleArn": UNKNOWN, "vpcConfig": {"subnetIds": [UNKNOWN]}}
    identifier, state = provider.create(urn, to_properties(inputs), seconds=0, preview=True)
    found = plain_map(state)
    assert (identifier, found["endpoint"], found["vpcConfig"]) == ("", UNKNOWN, UNKNOWN)
    assert (found["name"], found["roleArn"]) == ("new", UNKNOWN)
    assert len(account.requests()) == before


@pytest.mark.parametrize(
    ("label", "change", "replaces"),
    [
        ("nodes", {"amiType": "AL2023_x86_64_STANDARD"}, ["amiType"]),
        ("nodes", {"capacityType": "SPOT"}, ["capacityType"]),
        ("nodes", {"subnetIds": ["subnet-1"]}, ["subnetIds"]),
        ("nodes", {"instanceTypes": ["m7i.large"]}, ["instanceTypes"]),
        ("nodes", {"scalingConfig": {"minSize": 0, "maxSize": 3, "desiredSize": 2}}, []),
        ("nodes", {"launchTemplate": {"id": "lt-1", "version": "1"}}, ["launchTemplate.id"]),
        ("vpc", {"cidrBlock": "10.51.0.0/16"}, ["cidrBlock"]),
        ("cluster", {"version": "1.36"}, []),
        ("template", {"instanceType": "p6-b300.48xlarge"}, []),
        ("entry", {"type": "EC2_LINUX"}, ["type"]),
        ("lustre-files", {"deploymentType": "SCRATCH_2"}, ["deploymentType"]),
        ("lustre-files", {"perUnitStorageThroughput": 250}, []),
    ],
)
def test_what_terraform_forces_new_is_replaced_and_the_rest_updated(
    provider: Provider, made: dict[str, Made], label: str, change: dict[str, Any], replaces: list[str]
) -> None:
    found = changed(provider, made[label], **change)
    assert found.has_changes
    assert found.replaces == replaces
    assert not found.delete_before_replace or replaces


def test_a_fixed_name_is_freed_before_its_replacement(provider: Provider, made: dict[str, Made]) -> None:
    assert changed(provider, made["nodes"], amiType="AL2023_x86_64_STANDARD").delete_before_replace
    other = changed(provider, made["nodes"], amiType="AL2023_x86_64_STANDARD", nodeGroupName="other")
    assert not other.delete_before_replace
    assert not changed(provider, made["vpc"], cidrBlock="10.51.0.0/16").delete_before_replace


def test_changes_reach_the_account(provider: Provider, made: dict[str, Made]) -> None:
    template = update(provider, made["template"], metadataOptions={"httpTokens": "optional"})
    assert (template.outputs["latestVersion"], template.outputs["defaultVersion"]) == (2, 2)
    nodes = update(
        provider,
        made["nodes"],
        launchTemplate={"id": template.id, "version": "2"},
        scalingConfig={"minSize": 0, "maxSize": 2, "desiredSize": 1},
    )
    assert (nodes.outputs["launchTemplate"]["version"], nodes.outputs["scalingConfig"]["desiredSize"]) == (
        "2",
        1,
    )
    assert update(provider, made["cluster"], version="1.36").outputs["version"] == "1.36"


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"description": "another"}, "these inputs of aws:kms/key:Key"),
        ({"tags": {"a": "b"}}, "the tags of aws:kms/key:Key"),
    ],
)
def test_a_change_that_aws_would_take_and_no_stack_makes_is_refused(
    provider: Provider, made: dict[str, Made], change: dict[str, Any], what: str
) -> None:
    with pytest.raises(ProviderError, match=f"{what} cannot be updated"):
        update(provider, made["key"], **change)


def test_drift_is_found_and_an_ignored_field_is_left_alone(
    account: Account, provider: Provider, made: dict[str, Made]
) -> None:
    nodes = make(
        provider, "aws:eks/nodeGroup:NodeGroup", "drifting", **plain_map(made["nodes"].inputs) | _NEW
    )
    sizes = {"minSize": 0, "maxSize": 2, "desiredSize": 1}
    account.client("eks").update_nodegroup_config(
        clusterName=made["cluster"].id, nodegroupName="drifting", scalingConfig=sizes
    )
    state, _ = provider.read(nodes.urn, nodes.id, nodes.state, nodes.inputs)
    found = provider.diff(nodes.urn, state, nodes.inputs, nodes.inputs, [])
    assert list(found.difference.fields) == ["scalingConfig.desiredSize"]
    path = "scalingConfig.desiredSize"
    assert not provider.diff(nodes.urn, state, nodes.inputs, nodes.inputs, [path]).has_changes
    refreshed = type(nodes)(nodes.urn, nodes.id, state, nodes.inputs)
    after = update(provider, refreshed, [path], scalingConfig={"minSize": 0, "maxSize": 3, "desiredSize": 2})
    assert after.outputs["scalingConfig"]["desiredSize"] == 1


_NEW = {"nodeGroupName": "drifting", "instanceTypes": ["m7i.large"], "launchTemplate": None, "amiType": None}


def test_everything_is_deleted_and_a_second_delete_is_fine(account: Account) -> None:
    provider = account.provider()
    role = make(provider, "aws:iam/role:Role", "short", assumeRolePolicy=trust("eks.amazonaws.com"))
    group = make(provider, "aws:cloudwatch/logGroup:LogGroup", "short")
    place = make(provider, "aws:ec2/placementGroup:PlacementGroup", "short", strategy="cluster")
    for item in (role, group, place):
        provider.delete(item.urn, item.id, item.state, seconds=0)
        provider.delete(item.urn, item.id, item.state, seconds=0)
        with pytest.raises(Gone):
            provider.read(item.urn, item.id, item.state, item.inputs)


def test_a_create_on_what_exists_fails_with_aws_code_and_request_id(account: Account) -> None:
    provider = account.provider()
    inputs = {"name": "twice", "assumeRolePolicy": trust("eks.amazonaws.com")}
    make(provider, "aws:iam/role:Role", "twice", **inputs)
    with pytest.raises(ProviderError) as caught:
        make(provider, "aws:iam/role:Role", "again", **inputs)
    request_id = account.requests()[-1]["requestId"]
    assert str(caught.value) == (
        "creating aws:iam/role:Role (again): operation error IAM: CreateRole, https response error "
        f"StatusCode: 409, RequestID: {request_id}, EntityAlreadyExists: "
        "Role with name twice already exists."
    )
