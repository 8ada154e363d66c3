"""Who enters the cluster, each once, and with what rights."""

import json
from pathlib import Path
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from lab.aws_provider.cloud.place import Place
from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.registry import RULES
from lab.aws_provider.cloud.server import REQUESTS_FILE
from resource_graph import UNKNOWN, ResourceGraph
from resource_graph.recorder import record
from stacks.program.deploy_stack import deploy
from stacks.updates.running import Running, running_of
from tests.stacks.changed_settings import Settings, changed
from tests.support.dev_settings import resolved
from tests.support.eks_settings import eks_b200_settings
from tests.support.recordings import recorded_stack
from tests.support.simulated_account import live

LAB = "arn:aws:iam::123456789012:user/lab"
OTHER = "arn:aws:iam::123456789012:role/people/other"
PREVIEWS = "arn:aws:iam::123456789012:role/previews"
ROLE = "arn:aws:iam::123456789012:role/people/deployer"
SESSION = "assumed-role/deployer/laptop"
ENTRY = "aws:eks/accessEntry:AccessEntry"
PREFIX = "urn:pulumi:b200::dynamo-stack::dynamo-stack:components:EksCluster$"
VIEWS = {"arn": OTHER, "policy": "view"}
EDITS = {"arn": OTHER, "policy": "edit", "namespaces": ["gpt-oss"]}


def _settings(*administrators: str, access: tuple[dict[str, Any], ...] = (), **cluster: str) -> Settings:
    entered = {"cluster.administrators": list(administrators), "cluster.access": list(access)}
    return changed(eks_b200_settings(), entered, {f"cluster.{key}": value for key, value in cluster.items()})


def _program(settings: Settings, running: Running) -> ResourceGraph:
    stack = resolved(settings)
    return record(lambda: deploy(stack, running=running), project="dynamo-stack", stack="b200")


def _entries(graph: ResourceGraph) -> dict[str, object]:
    return {each.name: each.inputs["principalArn"] for each in graph.of_type(ENTRY)}


def _bootstraps(graph: ResourceGraph) -> object:
    [cluster] = graph.of_type("aws:eks/cluster:Cluster")
    access: Any = cluster.inputs["accessConfig"]
    return access["bootstrapClusterCreatorAdminPermissions"]


def test_who_calls_administers_previews_or_edits_gets_one_entry_with_these_rights(tmp_path: Path) -> None:
    access = ({"arn": PREVIEWS, "policy": "adminView"}, EDITS, VIEWS)
    # The caller's role is listed as well: without its path it would be another principal with two entries.
    settings = _settings(ROLE, LAB, access=access, name="access")
    life = live(settings, tmp_path / "account", SESSION, role_path="/people/", again=False)
    assert [request for request in life.requests if request["error"]] == []
    # With it `up` says why a wait ended in a cluster that nobody has a context of.
    assert [json.loads(each)["current-context"] for each in life.kubeconfigs] == ["access"]
    asked = {
        operation: [each["parameters"] for each in life.up if each["operation"] == operation]
        for operation in ("CreateCluster", "CreateAccessEntry", "AssociateAccessPolicy")
    }
    [cluster] = asked["CreateCluster"]
    assert cluster["accessConfig"]["bootstrapClusterCreatorAdminPermissions"] is False
    entries = sorted(each["principalArn"] for each in asked["CreateAccessEntry"])
    assert entries == sorted([ROLE, LAB, OTHER, PREVIEWS])
    whole = {"type": "cluster"}
    assert {
        (each["principalArn"], each["policyArn"].rpartition("/")[2]): each["accessScope"]
        for each in asked["AssociateAccessPolicy"]
    } == {
        (ROLE, "AmazonEKSClusterAdminPolicy"): whole,
        (LAB, "AmazonEKSClusterAdminPolicy"): whole,
        (PREVIEWS, "AmazonEKSAdminViewPolicy"): whole,
        (OTHER, "AmazonEKSEditPolicy"): {"type": "namespace", "namespaces": ["gpt-oss"]},
        (OTHER, "AmazonEKSViewPolicy"): whole,
    }


def _refused(folder: Path, caller: str) -> str:
    with pytest.raises(pulumi.RunError) as error:
        live(_settings(), folder / "account", caller, role_path="/people/")
    assert "CreateCluster" not in (folder / "account" / REQUESTS_FILE).read_text(encoding="utf-8")
    return str(error.value)


def test_a_session_that_may_not_read_its_role_is_told_what_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(_: Place, given: dict[str, Any]) -> None:
        if given["RoleName"] == "deployer":
            raise Refused("AccessDenied", "User is not authorized to perform: iam:GetRole")

    monkeypatch.setitem(RULES, ("iam", "GetRole"), [denied])
    text = _refused(tmp_path, SESSION)
    assert text.startswith(f"AWS does not say which role arn:aws:sts::123456789012:{SESSION} is a session of")
    assert "User is not authorized to perform: iam:GetRole" in text
    assert "try: let these credentials iam:GetRole that role; its ARN, with its path, enters" in text


def test_the_entry_stays_with_the_maker_of_the_cluster_and_moves_to_nobody_when_the_maker_is_listed() -> None:
    assert _entries(_program(_settings(OTHER, LAB), Running(creator=LAB))) == {
        "eks-creator": LAB,
        "eks-administrator-123456789012:role/people/other": OTHER,
    }


def test_without_an_account_it_is_not_known_who_it_is() -> None:
    graph = recorded_stack(resolved(_settings()))
    assert _entries(graph)["eks-creator"] is UNKNOWN
    assert _bootstraps(graph) is False


def test_the_state_says_who_made_the_cluster() -> None:
    access = {"accessConfig": {"bootstrapClusterCreatorAdminPermissions": False}}
    state = {
        f"{PREFIX}aws:eks/cluster:Cluster::eks": access,
        f"{PREFIX}{ENTRY}::eks-creator": {"principalArn": LAB},
    }
    assert running_of({}, {}).creator is None
    assert running_of(state, {}).creator == LAB


def test_an_entry_that_eks_has_made_itself_is_left_to_it() -> None:
    access = {"accessConfig": {"bootstrapClusterCreatorAdminPermissions": True}}
    running = running_of({f"{PREFIX}aws:eks/cluster:Cluster::eks": access}, {})
    graph = _program(_settings(OTHER), running)
    assert list(_entries(graph).values()) == [OTHER]
    # Another value would replace the cluster.
    assert _bootstraps(graph) is True


def test_an_administrator_that_becomes_a_viewer_keeps_its_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, list[str]] = {}

    class Watched(aws.eks.AccessEntry):
        def __init__(self, name: str, **named: Any) -> None:
            names[name] = [alias.name for alias in named["opts"].aliases or ()]
            super().__init__(name, **named)

    monkeypatch.setattr(aws.eks, "AccessEntry", Watched)
    for settings in (_settings(OTHER), _settings(access=(VIEWS,))):
        _program(settings, Running(creator=LAB))
    administers, views = (
        f"eks-{kind}-123456789012:role/people/other" for kind in ("administrator", "access")
    )
    assert names == {administers: [views], views: [administers], "eks-creator": []}


def test_another_namespace_ends_the_old_association_before_the_new_one_is_made() -> None:
    graph = recorded_stack(resolved(_settings(access=(EDITS,))))
    name = "eks-access-123456789012:role/people/other-edit"
    made = [each for each in graph if each.name == name]
    assert [each.delete_before_replace for each in made] == [True]
