"""The provider's own settings, what Check refuses, functions, and what is written down."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from lab.aws_provider import settings
from lab.aws_provider.cloud import settings as cloud_settings
from lab.aws_provider.provider import Provider
from lab.provider_service.errors import NotServedError, ProviderError
from lab.provider_service.naming import Autonaming
from lab.provider_service.values import plain_map, to_properties
from tests.lab.aws_provider.account import trust

if TYPE_CHECKING:
    from pathlib import Path

    from tests.lab.aws_provider.account import Account

_ROLE = "urn:pulumi:test::toy::aws:iam/role:Role::someone"


def test_another_account_is_refused(account: Account) -> None:
    account.provider(allowedAccountIds='["123456789012"]')
    with pytest.raises(ProviderError, match="AWS account ID not allowed: 123456789012"):
        account.provider(allowedAccountIds='["210987654321"]')


def test_an_endpoint_outside_the_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with pytest.raises(ProviderError, match="AWS_ENDPOINT_URL does not name one"):
        Provider().configure(to_properties({"region": "us-east-1"}))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://ec2.us-east-1.amazonaws.com")
    with pytest.raises(ProviderError, match="is not on the loopback interface"):
        Provider().configure(to_properties({"region": "us-east-1"}))


def test_an_unserved_provider_input_is_refused_and_another_region_is_another_provider() -> None:
    assert settings.refusals({"region": "us-east-1", "allowedAccountIds": "[]"}) == []
    assert [name for name, _ in settings.refusals({"assumeRoles": "[]", "profile": "mine"})] == [
        "assumeRoles",
        "profile",
    ]
    old, new = to_properties({"region": "us-east-1"}), to_properties({"region": "us-west-2"})
    assert Provider().diff_config(old, new).replaces == ["region"]
    tagged = to_properties({"region": "us-east-1", "defaultTags": "{}"})
    assert (Provider().diff_config(old, tagged).replaces, Provider().diff_config(old, old).changed) == (
        [],
        [],
    )


def test_a_name_is_made_once_and_kept() -> None:
    given = to_properties({"assumeRolePolicy": "{}"})
    first, _ = Provider().check(_ROLE, {}, given, b"seed", Autonaming())
    name = plain_map(first)["name"]
    assert re.fullmatch(r"someone-[0-9a-f]{7}", name)
    later, _ = Provider().check(_ROLE, first, given, b"other", Autonaming())
    assert plain_map(later)["name"] == name
    with pytest.raises(ProviderError, match="automatic naming is disabled"):
        Provider().check(_ROLE, {}, given, b"seed", Autonaming(forbidden=True))


def test_types_inputs_and_nested_keys_that_are_not_mapped_are_refused() -> None:
    with pytest.raises(ProviderError, match="does not serve the resource type aws:s3/bucket:Bucket"):
        Provider().check("urn:pulumi:test::toy::aws:s3/bucket:Bucket::b", {}, {}, b"", Autonaming())
    inputs = to_properties({"assumeRolePolicy": "{}", "inlinePolicies": []})
    _, failures = Provider().check(_ROLE, {}, inputs, b"", Autonaming())
    assert [name for name, _ in failures] == ["inlinePolicies"]
    template = "urn:pulumi:test::toy::aws:ec2/launchTemplate:LaunchTemplate::t"
    nested = to_properties({"networkInterfaces": [{"interfaceTipe": "efa"}]})
    _, failures = Provider().check(template, {}, nested, b"", Autonaming())
    assert "networkInterfaces[0].interfaceTipe" in failures[0][1]


def test_functions_answer_or_say_that_they_are_not_served(account: Account) -> None:
    provider = account.provider()
    identity = provider.invoke("aws:index/getCallerIdentity:getCallerIdentity", {})
    assert plain_map(identity)["accountId"] == "123456789012"
    with pytest.raises(NotServedError, match="does not serve the function aws:ec2/getAmi:getAmi"):
        provider.invoke("aws:ec2/getAmi:getAmi", {})


def test_a_session_is_one_of_a_role_whose_path_its_arn_does_not_have(account: Account) -> None:
    provider, token = account.provider(), "aws:iam/getSessionContext:getSessionContext"
    made = account.client("iam").create_role(
        RoleName="ci", Path="/people/", AssumeRolePolicyDocument=trust("ec2.amazonaws.com")
    )
    session = {"arn": "arn:aws:sts::123456789012:assumed-role/ci/me@example.com"}
    found = plain_map(provider.invoke(token, to_properties(session)))
    assert found["issuerArn"] == made["Role"]["Arn"] == "arn:aws:iam::123456789012:role/people/ci"
    user = {"arn": "arn:aws:iam::123456789012:user/lab"}
    assert plain_map(provider.invoke(token, to_properties(user)))["issuerArn"] == user["arn"]


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


def test_what_moto_lacks_is_in_a_file_that_others_may_read(account: Account) -> None:
    account.client("ec2").create_placement_group(GroupName="filed", Strategy="cluster")
    kept = json.loads((account.folder / "store.json").read_text())
    assert kept["placement-groups"]["us-east-1/filed"]["State"] == "available"


def test_a_quota_is_ample_unless_the_lab_says_otherwise(account: Account) -> None:
    (account.folder / "quotas.json").write_text(json.dumps({"L-417A185B": 192}))
    quotas = account.client("service-quotas")
    values = [
        quotas.get_service_quota(ServiceCode="ec2", QuotaCode=code)["Quota"]["Value"]
        for code in ("L-417A185B", "L-1216C47A")
    ]
    assert (values[0], values[1] > 10_000) == (192.0, True)


def test_clusters_lead_to_the_api_server_that_the_lab_names(tmp_path: Path) -> None:
    assert cloud_settings.Settings().eks_api_server() is None
    authority = tmp_path / "ca.crt"
    authority.write_text("CA")
    kubeconfig = tmp_path / "kubeconfig"
    found = cloud_settings.Settings.from_environment(kubeconfig, None, {"LAB_AWS_ACCOUNT": "111122223333"})
    assert (found.eks_api_server(), found.account) == (None, "111122223333")
    cluster = {"server": "https://127.0.0.1:2", "certificate-authority": str(authority)}
    kubeconfig.write_text(json.dumps({"clusters": [{"name": "lab", "cluster": cluster}]}))
    assert found.eks_api_server() == ("https://127.0.0.1:2", "Q0E=")


def test_a_capacity_block_is_offered_where_its_type_is(account: Account) -> None:
    offered = account.client("ec2").describe_capacity_block_offerings(
        InstanceType="p6-b200.48xlarge", InstanceCount=2, CapacityDurationHours=24
    )["CapacityBlockOfferings"]
    assert [(item["InstanceCount"], item["AvailabilityZone"]) for item in offered] == [(2, "us-east-1a")]
