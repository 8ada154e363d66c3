"""Who enters the cluster: whoever makes it, and those that are listed, each once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pulumi
import pytest

from lab.aws_provider.cloud.refusal import Refused
from lab.aws_provider.cloud.rules.registry import RULES
from lab.aws_provider.cloud.server import REQUESTS_FILE
from resource_graph import UNKNOWN
from resource_graph.recorder import record
from stacks.program.deploy_stack import deploy
from stacks.updates.deployed import Creator, deployed
from stacks.updates.planned_update import Update, planned_update
from tests.support.dev_settings import resolved
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
ROLE = "arn:aws:iam::123456789012:role/people/deployer"
SESSION = "assumed-role/deployer/laptop"
PREFIX = "urn:pulumi:b200::dynamo-stack::dynamo-stack:components:EksCluster$"


def _settings(*administrators: str) -> dict[str, Any]:
    settings = eks_b200_settings()
    settings["cluster"]["administrators"] = list(administrators)
    return settings


def _made_by(arn: str, *administrators: str) -> ResourceGraph:
    update = Update(creator=Creator(arn=arn))
    program = partial(deploy, resolved(_settings(*administrators)), None, update)
    return record(program, project="dynamo-stack", stack="b200")


def _asked(folder: Path) -> str:
    return (folder / "account" / REQUESTS_FILE).read_text(encoding="utf-8")


def _entries(graph: ResourceGraph) -> dict[str, object]:
    return {each.name: each.inputs["principalArn"] for each in graph.of_type(ENTRY)}


def _bootstraps(graph: ResourceGraph) -> object:
    [cluster] = graph.of_type("aws:eks/cluster:Cluster")
    access: Any = cluster.inputs["accessConfig"]
    return access["bootstrapClusterCreatorAdminPermissions"]


@pytest.mark.parametrize("listed", [(), (LAB,), (OTHER, LAB)])
def test_whoever_runs_up_may_be_listed_as_an_administrator_and_gets_one_entry(
    listed: tuple[str, ...], tmp_path: Path
) -> None:
    settings = _settings(*listed)
    # EKS keeps the log group of a cluster that is gone.
    settings["cluster"]["name"] = f"listed-{len(listed)}"
    life = live(settings, tmp_path / "account", again=False)
    assert [request for request in life.requests if request["error"]] == []
    asked = [request["parameters"] for request in life.up if request["operation"] == "CreateAccessEntry"]
    assert sorted(each["principalArn"] for each in asked) == sorted({LAB, *listed})
    [cluster] = [each["parameters"] for each in life.up if each["operation"] == "CreateCluster"]
    assert cluster["accessConfig"]["bootstrapClusterCreatorAdminPermissions"] is False


def test_whoever_runs_up_in_a_session_enters_as_the_session_s_role_with_its_path(tmp_path: Path) -> None:
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


def test_the_entry_stays_with_whoever_made_the_cluster_and_moves_to_nobody_when_they_are_listed() -> None:
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
