"""The provider's own settings, what Check refuses, functions, and what is written down."""

import json

import pytest
from botocore.exceptions import ClientError

from lab.aws_provider import settings
from lab.aws_provider.provider import Provider
from lab.provider_service.errors import NotServedError, ProviderError
from lab.provider_service.values import plain_map, to_properties
from tests.lab.aws_provider.account import Account, make, update

_ROLE = "urn:pulumi:test::toy::aws:iam/role:Role::someone"


@pytest.mark.parametrize("endpoint", ["", "https://ec2.us-east-1.amazonaws.com"])
def test_an_endpoint_outside_the_machine_is_refused(monkeypatch: pytest.MonkeyPatch, endpoint: str) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    with pytest.raises(ProviderError, match=f"on the loopback interface: '{endpoint}'"):
        Provider().configure(to_properties({"region": "us-east-1"}))


def test_an_unserved_provider_input_is_refused_and_another_region_is_another_provider() -> None:
    assert settings.refusals({"region": "us-east-1", "allowedAccountIds": "[]"}) == []
    [(name, _)] = settings.refusals({"profile": "mine"})
    assert name == "profile"
    old, new = to_properties({"region": "us-east-1"}), to_properties({"region": "us-west-2"})
    assert Provider().diff_config(old, new).replaces == ["region"]
    tagged = to_properties({"region": "us-east-1", "defaultTags": "{}"})
    assert Provider().diff_config(old, tagged).replaces == []


def test_types_inputs_and_nested_keys_that_are_not_mapped_are_refused() -> None:
    with pytest.raises(ProviderError, match="does not serve the resource type aws:s3/bucket:Bucket"):
        Provider().check("urn:pulumi:test::toy::aws:s3/bucket:Bucket::b", {}, {}, b"")
    inputs = to_properties({"assumeRolePolicy": "{}", "inlinePolicies": []})
    _, failures = Provider().check(_ROLE, {}, inputs, b"")
    assert [name for name, _ in failures] == ["inlinePolicies"]
    template = "urn:pulumi:test::toy::aws:ec2/launchTemplate:LaunchTemplate::t"
    nested = to_properties({"networkInterfaces": [{"interfaceTipe": "efa"}]})
    _, failures = Provider().check(template, {}, nested, b"")
    assert "networkInterfaces[0].interfaceTipe" in failures[0][1]


def test_no_change_that_no_stack_makes_and_no_import_is_served(account: Account) -> None:
    provider = account.provider(defaultTags='{"tags": {"team": "lab"}}')
    key = make(provider, "aws:kms/key:Key", "key", description="k", tags={"Name": "key"})
    assert plain_map(key.state)["tagsAll"] == {"Name": "key", "team": "lab"}
    with pytest.raises(ProviderError, match="these inputs of aws:kms/key:Key cannot be updated"):
        update(provider, key, description="another")
    with pytest.raises(ProviderError, match="the tags of aws:kms/key:Key cannot be updated"):
        update(provider, key, tags={"a": "b"})
    with pytest.raises(ProviderError, match="this stand-in imports no aws:kms/key:Key"):
        provider.read(key.urn, key.id, {}, {})


def test_functions_answer_or_say_that_they_are_not_served(account: Account) -> None:
    provider = account.provider()
    identity = provider.invoke("aws:index/getCallerIdentity:getCallerIdentity", {})
    assert plain_map(identity)["accountId"] == "123456789012"
    with pytest.raises(NotServedError, match="does not serve the function aws:ec2/getAmi:getAmi"):
        provider.invoke("aws:ec2/getAmi:getAmi", {})


def test_a_value_outside_its_enum_is_refused_though_botocore_lets_it_pass(account: Account) -> None:
    with pytest.raises(ClientError) as caught:
        account.client("ec2").create_placement_group(GroupName="odd", Strategy="near")
    assert "[cluster, spread, partition, precision-time]" in caught.value.response["Error"]["Message"]
    assert account.requests()[-1]["error"] == "InvalidParameterValue"


def test_requests_are_written_down_without_what_is_secret(account: Account) -> None:
    account.template("with-secret", UserData="c2VjcmV0")
    last = account.requests()[-1]
    assert (last["service"], last["operation"], last["region"]) == (
        "ec2",
        "CreateLaunchTemplate",
        "us-east-1",
    )
    assert last["parameters"]["LaunchTemplateName"] == "with-secret"
    assert last["parameters"]["LaunchTemplateData"]["UserData"] == "[hidden]"
    assert "c2VjcmV0" not in json.dumps(account.requests())
