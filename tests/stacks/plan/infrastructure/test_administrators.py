"""Who enters the cluster, each once, and with what rights."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pulumi
import pulumi_aws as aws
import pytest

from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.registry import RULES
from lab.aws_provider.cloud.server import REQUESTS_FILE
from resource_graph import UNKNOWN
from resource_graph.recorder import record
from stacks.errors import SettingsError
from stacks.program.deploy_stack import deploy
from stacks.updates.deployed import Creator, deployed
from stacks.updates.planned_update import Update, planned_update
from tests.support.dev_settings import problems_of, resolved
from tests.support.eks_settings import eks_b200_settings
from tests.support.recordings import recorded_stack
from tests.support.simulated_account import live

if TYPE_CHECKING:
    from pathlib import Path

    from lab.aws_provider.cloud.place import Place
    from resource_graph import ResourceGraph

LAB = "arn:aws:iam::123456789012:user/lab"
OTHER = "arn:aws:iam::123456789012:role/people/other"
ENTRY = "aws:eks/accessEntry:AccessEntry"
ASSOCIATION = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
ROLE = "arn:aws:iam::123456789012:role/people/deployer"
SESSION = "assumed-role/deployer/laptop"
PREFIX = "urn:pulumi:b200::dynamo-stack::dynamo-stack:components:EksCluster$"


def _settings(*administrators: str) -> dict[str, Any]:
    settings = eks_b200_settings()
    settings["cluster"]["administrators"] = list(administrators)
    return settings


def _recorded(settings: dict[str, Any], creator: str = LAB) -> ResourceGraph:
    program = partial(deploy, resolved(settings), None, Update(creator=Creator(arn=creator)))
    return record(program, project="dynamo-stack", stack="b200")


def _made_by(arn: str, *administrators: str) -> ResourceGraph:
    return _recorded(_settings(*administrators), arn)


def _with_access(*access: dict[str, Any], administrators: tuple[str, ...] = ()) -> dict[str, Any]:
    settings = _settings(*administrators)
    settings["cluster"]["access"] = list(access)
    return settings


def _asked(folder: Path) -> str:
    return (folder / "account" / REQUESTS_FILE).read_text(encoding="utf-8")


def _entries(graph: ResourceGraph) -> dict[str, object]:
    return {each.name: each.inputs["principalArn"] for each in graph.of_type(ENTRY)}


def _bootstraps(graph: ResourceGraph) -> object:
    [cluster] = graph.of_type("aws:eks/cluster:Cluster")
    access: Any = cluster.inputs["accessConfig"]
    return access["bootstrapClusterCreatorAdminPermissions"]


def test_the_caller_of_up_may_be_listed_as_an_administrator_and_gets_one_entry(tmp_path: Path) -> None:
    life = live(_settings(OTHER, LAB), tmp_path / "account", again=False)
    assert [request for request in life.requests if request["error"]] == []
    asked = [request["parameters"] for request in life.up if request["operation"] == "CreateAccessEntry"]
    assert sorted(each["principalArn"] for each in asked) == [OTHER, LAB]
    [cluster] = [each["parameters"] for each in life.up if each["operation"] == "CreateCluster"]
    assert cluster["accessConfig"]["bootstrapClusterCreatorAdminPermissions"] is False


def test_the_caller_of_up_in_a_session_enters_as_the_session_s_role_with_its_path(tmp_path: Path) -> None:
    settings = _settings(ROLE)
    settings["cluster"]["name"] = "session"
    life = live(settings, tmp_path / "account", SESSION, role_path="/people/", again=False)
    assert [request for request in life.requests if request["error"]] == []
    asked = [request["parameters"] for request in life.up if request["operation"] == "CreateAccessEntry"]
    # The role is listed as well: without its path it would be another principal, and get two entries.
    assert [each["principalArn"] for each in asked] == [ROLE]


def test_the_root_user_is_refused_before_a_cluster_is_made(tmp_path: Path) -> None:
    with pytest.raises(pulumi.RunError, match="the account's root user, which EKS gives no access entry"):
        live(_settings(), tmp_path / "account", "root")
    assert "CreateCluster" not in _asked(tmp_path)


def test_a_session_that_may_not_read_its_role_is_told_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(_: Place, given: dict[str, Any]) -> None:
        if given["RoleName"] == "deployer":
            raise Refused("AccessDenied", "User is not authorized to perform: iam:GetRole")

    monkeypatch.setitem(RULES, ("iam", "GetRole"), [denied])
    with pytest.raises(pulumi.RunError) as error:
        live(_settings(), tmp_path / "account", SESSION, role_path="/people/")
    said = str(error.value)
    assert said.startswith(f"AWS does not say which role arn:aws:sts::123456789012:{SESSION} is a session of")
    assert "User is not authorized to perform: iam:GetRole" in said
    assert "try: let these credentials iam:GetRole that role; its ARN, with its path, enters" in said
    assert "CreateCluster" not in _asked(tmp_path)


def test_the_entry_stays_with_the_maker_of_the_cluster_and_moves_to_nobody_when_the_maker_is_listed() -> None:
    assert _entries(_made_by(LAB, OTHER)) == {
        "eks-creator": LAB,
        "eks-administrator-123456789012:role/people/other": OTHER,
    }
    assert _entries(_made_by(LAB, LAB)) == {"eks-creator": LAB}


def test_another_order_of_administrators_is_no_change() -> None:
    third = "arn:aws:iam::123456789012:role/third"
    assert _entries(_made_by(LAB, OTHER, third)) == _entries(_made_by(LAB, third, OTHER))


def test_without_an_account_it_is_not_known_who_it_is() -> None:
    graph = recorded_stack(resolved(_settings()))
    assert _entries(graph)["eks-creator"] is UNKNOWN
    assert _bootstraps(graph) is False


def test_the_state_says_who_made_the_cluster() -> None:
    cluster = f"{PREFIX}aws:eks/cluster:Cluster::eks"
    entry = {f"{PREFIX}{ENTRY}::eks-creator": {"principalArn": LAB}}
    access = {"accessConfig": {"bootstrapClusterCreatorAdminPermissions": False}}
    assert deployed({}).creator == Creator(makes_it_now=True)
    assert deployed({cluster: access, **entry}).creator == Creator(arn=LAB)
    update = planned_update(resolved(_settings()), deployed({cluster: access, **entry}))
    assert update.creator == Creator(arn=LAB)


def test_an_entry_that_eks_has_made_itself_is_left_to_it() -> None:
    access = {"accessConfig": {"bootstrapClusterCreatorAdminPermissions": True}}
    creator = deployed({f"{PREFIX}aws:eks/cluster:Cluster::eks": access}).creator
    program = partial(deploy, resolved(_settings(OTHER)), None, Update(creator=creator))
    graph = record(program, project="dynamo-stack", stack="b200")
    assert list(_entries(graph).values()) == [OTHER]
    # Another value would replace the cluster.
    assert _bootstraps(graph) is True


def test_who_previews_reads_everything_and_a_team_edits_its_namespace(tmp_path: Path) -> None:
    team = {"arn": OTHER, "policy": "edit", "namespaces": ["gpt-oss"]}
    reads = {"arn": OTHER, "policy": "view"}
    settings = _with_access({"arn": ROLE, "policy": "adminView"}, team, reads)
    settings["cluster"]["name"] = "access"
    life = live(settings, tmp_path / "account", again=False)
    assert [request for request in life.requests if request["error"]] == []
    asked = [each["parameters"] for each in life.up if each["operation"] == "CreateAccessEntry"]
    assert sorted(each["principalArn"] for each in asked) == [ROLE, OTHER, LAB]
    given = [each["parameters"] for each in life.up if each["operation"] == "AssociateAccessPolicy"]
    whole = {"type": "cluster"}
    scopes = {
        (each["principalArn"], each["policyArn"].rpartition("/")[2]): each["accessScope"] for each in given
    }
    assert scopes == {
        (LAB, "AmazonEKSClusterAdminPolicy"): whole,
        (ROLE, "AmazonEKSAdminViewPolicy"): whole,
        (OTHER, "AmazonEKSEditPolicy"): {"type": "namespace", "namespaces": ["gpt-oss"]},
        (OTHER, "AmazonEKSViewPolicy"): whole,
    }


def test_an_administrator_that_becomes_a_viewer_keeps_its_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, list[str]] = {}

    class Watched(aws.eks.AccessEntry):
        def __init__(self, name: str, **named: Any) -> None:
            names[name] = [alias.name for alias in named["opts"].aliases or ()]
            super().__init__(name, **named)

    monkeypatch.setattr(aws.eks, "AccessEntry", Watched)
    _recorded(_settings(OTHER))
    _recorded(_with_access({"arn": OTHER, "policy": "view"}))
    administers, views = (
        f"eks-{kind}-123456789012:role/people/other" for kind in ("administrator", "access")
    )
    assert names == {administers: [views], views: [administers], "eks-creator": []}


def test_another_namespace_ends_the_old_association_before_the_new_one_is_made() -> None:
    access = {"arn": OTHER, "policy": "edit", "namespaces": ["gpt-oss"]}
    graph = _recorded(_with_access(access))
    name = "eks-access-123456789012:role/people/other-edit"
    [made] = [each for each in graph.of_type(ASSOCIATION) if each.name == name]
    assert made.inputs["accessScope"] == {"type": "namespace", "namespaces": ["gpt-oss"]}
    assert made.delete_before_replace is True


@pytest.mark.parametrize(
    ("access", "administrators", "says"),
    [
        ([{"arn": OTHER, "policy": "view"}], (OTHER,), "cluster.access[0].arn = '{arn}'\n  is one of"),
        (
            [{"arn": OTHER, "policy": "view"}] * 2,
            (),
            "cluster.access[1].arn = '{arn}'\n  has view by an item",
        ),
    ],
)
def test_a_principal_has_one_entry_and_a_policy_once(
    access: list[dict[str, Any]], administrators: tuple[str, ...], says: str
) -> None:
    with pytest.raises(SettingsError) as error:
        resolved(_with_access(*access, administrators=administrators))
    assert says.format(arn=OTHER) in str(error.value)


def test_who_made_the_cluster_is_given_nothing_less() -> None:
    settings = _with_access({"arn": LAB, "policy": "adminView"})
    with pytest.raises(pulumi.RunError, match=r"cluster.access\[0\].arn = '.*user/lab': made the cluster"):
        _recorded(settings)


def test_a_role_of_another_account_is_not_assumed() -> None:
    settings = _settings()
    settings["cluster"]["assumeRole"] = "arn:aws:iam::210987654321:role/deployer"
    [problem] = problems_of(settings)
    assert problem.key == "cluster.assumeRole"
    assert "is no IAM role of cluster.accountId" in problem.message
