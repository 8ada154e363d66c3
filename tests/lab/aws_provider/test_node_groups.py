"""Instances of node groups: launched, ended and exchanged as asked for, or refused for now or ever."""

import datetime as dt
import json
import threading
from typing import Any

import pytest

from lab.aws_provider.cloud.gaps import scaling
from lab.provider_service.errors import ProviderError
from tests.lab.aws_provider.account import Account, make, update
from tests.support.waiting import until

_KIND = "aws:eks/nodeGroup:NodeGroup"
_FULL = "cr-0123456789abcdef0"
_CARDS = [
    {"DeviceIndex": 0, "NetworkCardIndex": 0, "InterfaceType": "interface"},
    *(
        {"DeviceIndex": int(card == 0), "NetworkCardIndex": card, "InterfaceType": "efa-only"}
        for card in range(8)
    ),
]


def instances(account: Account, group: str) -> list[dict[str, Any]]:
    """Those that run."""
    store = json.loads((account.folder / "store.json").read_text(encoding="utf-8"))
    tag = {"Key": "eks:nodegroup-name", "Value": group}
    found = store.get("ec2-instances", {}).values()
    return [item for item in found if tag in item["Tags"] and item["State"]["Name"] == "running"]


def _named(account: Account, name: str) -> dict[str, str]:
    return {"clusterName": account.cluster, "nodegroupName": name}


def _described(account: Account, name: str) -> dict[str, Any]:
    return account.client("eks").describe_nodegroup(**_named(account, name))["nodegroup"]


def test_an_update_of_the_version_exchanges_every_instance(account: Account) -> None:
    account.client("eks").create_nodegroup(**account.group_request("renewed", 2))
    before = {item["InstanceId"] for item in instances(account, "renewed")}
    account.client("eks").update_nodegroup_version(**_named(account, "renewed"))
    after = {item["InstanceId"] for item in instances(account, "renewed")}
    assert (len(after), before & after) == (2, set())


def test_nodes_of_a_block_are_not_exchanged_while_they_take_all_of_it(account: Account) -> None:
    inputs, provider = _inputs(account, "full", _FULL, 2), account.provider()
    made = make(provider, _KIND, "full", **inputs)
    before = instances(account, "full")
    assert [item["InterfaceType"] for item in before[0]["NetworkInterfaces"]] == [
        "interface",
        *["efa-only"] * 8,
    ]
    assert (before[0]["InstanceType"], before[0]["CapacityReservationId"]) == ("p6-b200.48xlarge", _FULL)
    template = inputs["launchTemplate"]
    account.client("ec2").create_launch_template_version(
        LaunchTemplateId=template["id"], LaunchTemplateData=_data(_FULL) | {"UserData": "b2xk"}
    )
    newer = {**template, "version": "2"}
    with pytest.raises(ProviderError, match="ReservationCapacityExceeded - The 2 instances of cr-0"):
        update(provider, made, launchTemplate=newer)
    assert instances(account, "full") == before
    # With desired size 0 there is nothing to exchange.
    emptied = update(provider, made, scalingConfig={"minSize": 0, "maxSize": 3, "desiredSize": 0})
    update(provider, emptied, launchTemplate=newer)
    assert _described(account, "full")["launchTemplate"]["version"] == "2"
    account.client("eks").delete_nodegroup(**_named(account, "full"))


def _data(block: str) -> dict[str, Any]:
    return {
        "InstanceType": "p6-b200.48xlarge",
        "NetworkInterfaces": _CARDS,
        "InstanceMarketOptions": {"MarketType": "capacity-block"},
        "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": block}},
    }


def _inputs(account: Account, name: str, block: str, size: int) -> dict[str, Any]:
    """A group of so many nodes of a block, as a program gives it."""
    return {
        "clusterName": account.cluster,
        "nodeGroupName": name,
        "nodeRoleArn": account.network.role,
        "subnetIds": account.network.in_zones("us-east-1a"),
        "amiType": "AL2023_x86_64_NVIDIA",
        "capacityType": "CAPACITY_BLOCK",
        "launchTemplate": account.template(name, **_data(block)),
        "scalingConfig": {"minSize": 0, "maxSize": 3, "desiredSize": size},
    }


def test_a_group_that_is_deleted_while_its_action_is_due_stays_deleted(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    eks, auto_scaling = account.client("eks"), account.client("autoscaling")
    eks.create_nodegroup(**account.group_request("going", 1))
    group = _described(account, "going")["resources"]["autoScalingGroups"][0]["name"]
    deleting = threading.Thread(target=eks.delete_nodegroup, kwargs=_named(account, "going"))
    # No other action of this process's account has this time.
    start, real = dt.datetime(2098, 7, 9, tzinfo=dt.UTC), scaling._time

    def time_of(value: Any) -> dt.datetime:
        if real(value) != real(start):
            return real(value)
        deleting.start()
        # Without the account's lock it ends at once.
        deleting.join(2)
        return dt.datetime.min

    monkeypatch.setattr(scaling, "_time", time_of)
    auto_scaling.put_scheduled_update_group_action(
        AutoScalingGroupName=group,
        ScheduledActionName="due",
        StartTime=start,
        MinSize=2,
        DesiredCapacity=2,
        MaxSize=2,
    )
    described = auto_scaling.describe_scheduled_actions
    until(lambda: not described(AutoScalingGroupName=group)["ScheduledUpdateGroupActions"], "the action")
    deleting.join()
    assert instances(account, "going") == []
