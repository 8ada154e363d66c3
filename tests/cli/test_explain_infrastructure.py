"""`explain` of a stack that makes its own cluster."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import squeezed, write_stack
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Command

SCREEN_LINES = 58
SCREEN_COLUMNS = 120


@pytest.fixture
def explain(command: Command, tmp_path: Path) -> Any:
    def explained(settings: dict[str, Any]) -> str:
        write_stack(tmp_path, settings)
        answer = command("explain", "dev", "--all", folder=tmp_path)
        assert (answer.code, answer.err) == (0, "")
        return answer.out

    return explained


def _epoch(day: str) -> str:
    return str(int(dt.datetime.fromisoformat(f"{day}T00:00:00Z").timestamp()))


def test_account_network_nodes_storage_and_operators_are_shown(explain: Any) -> None:
    shown = squeezed(explain(eks_gb200_settings()))
    assert (
        "CLUSTER eks gpt-oss, Kubernetes 1.35 in us-east-1, account 123456789012, reached from the VPC"
        in shown
    )
    assert (
        "NETWORK own, 10.0.0.0/16, us-east-1a, us-east-1b, Local Zone us-east-1-dfw-2a, one NAT gate" in shown
    )
    assert "NODES system: 3 x m7g.2xlarge on demand" in shown
    assert (
        "gb200: Capacity Block in us-east-1-dfw-2a, cr-0123456789abcdef0, from 2026-12-01T11:30:00Z, "
        "phase active"
    ) in shown
    assert "STORAGE model cache: EFS" in shown
    assert "OPERATORS gpu-operator v26.7.0, dra-driver-nvidia-gpu 0.4.1, aws-efa-k8s-device-plugin" in shown


def test_the_release_of_the_images_floats_and_a_version_near_its_end_is_named(explain: Any) -> None:
    settings = eks_b200_settings()
    assert "for everything without GPUs; AMIs float: newest at each update" in squeezed(explain(settings))
    settings["cluster"]["version"] = "1.34"
    assert "Kubernetes 1.34 (standard support ends 2026-12-02) in us-east-1" in squeezed(explain(settings))


def test_what_is_not_needed_is_not_shown(explain: Any) -> None:
    shown = explain(eks_b200_settings())
    assert "dra-driver" not in shown
    assert "Local Zone" not in shown
    assert "kube-prometheus-stack" not in shown


def test_the_settings_of_network_nodes_and_storage_are_seen(explain: Any) -> None:
    settings = eks_b200_settings()
    settings["cluster"] |= {"publicCidrs": ["203.0.113.0/24"], "monitoring": True}
    settings["cluster"]["network"]["natPerZone"] = True
    settings["nodePools"][0]["purchase"] = {"kind": "reservation", "id": "cr-0123456789abcdef0"}
    settings["modelCache"] = {"size": "150Gi", "storageClassName": "gp3"}
    shown = squeezed(explain(settings))
    assert "reached from the VPC and 203.0.113.0/24" in shown
    assert "a NAT gateway in each zone" in shown
    assert "b200: reservation in us-east-1a, cr-0123456789abcdef0 STORAGE" in shown
    assert "model cache: class gp3" in shown
    assert "kube-prometheus-stack" in shown


def test_an_adopted_network_is_shown_by_its_ids(explain: Any) -> None:
    settings = eks_b200_settings()
    subnets = {"us-east-1a": "subnet-01234567", "us-east-1b": "subnet-01234568"}
    settings["cluster"]["network"] = {"kind": "existing", "vpcId": "vpc-01234567", "subnets": subnets}
    assert "NETWORK existing, vpc-01234567, subnets in us-east-1a, us-east-1b" in squeezed(explain(settings))


def test_idle_gpus_cost_what_they_were_bought_for_and_trays_are_sold_by_the_rack(explain: Any) -> None:
    # Three of eight at $10.582; of the 36 that are the smallest purchase, 31 have nothing to do.
    shown = squeezed(explain(eks_gb200_settings()))
    assert "IDLE gb200: 3 of 8 GPUs idle, $31.75 an hour" in shown
    assert (
        "u-p6e-gb200x36, the least that is sold, $380.95 an hour: 31 of 36 GPUs idle, $328.04 an hour, "
        "7 trays outside the pool"
    ) in shown


@pytest.mark.parametrize(("day", "age"), [("2026-09-30", ""), ("2026-10-02", ", more than a quarter old")])
def test_what_is_sold_by_the_rack_is_dated_with_the_gpu_and_once(
    explain: Any, monkeypatch: pytest.MonkeyPatch, day: str, age: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", _epoch(day))
    shown = squeezed(explain(eks_gb200_settings()))
    assert (
        "$10.58 a GPU-hour, Capacity Block; sold only whole, an hour: u-p6e-gb200x36 $380.95, u-p6e-gb200x72 "
        f"$761.90 (aws.amazon.com/ec2/capacityblocks/pricing, 2026-07-01{age})"
    ) in shown
    assert shown.count("2026-07-01") == 1


@pytest.mark.parametrize(("day", "age"), [("2027-02-01", ""), ("2027-02-02", ", more than a quarter old")])
def test_what_fsx_costs_is_dated_as_gpus_are(
    explain: Any, monkeypatch: pytest.MonkeyPatch, day: str, age: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", _epoch(day))
    settings = eks_b200_settings()
    assert f"250 MB/s a TiB, $0.35 an hour (2026-11{age}); the rest: gp3" in squeezed(explain(settings))
    settings["cluster"]["region"] = "us-west-2"
    settings["nodePools"][0]["zone"] = "us-west-2a"
    settings["cluster"]["network"]["zones"] = ["us-west-2a", "us-west-2b"]
    assert f"$0.35 an hour in us-east-1 (2026-11{age}); the rest: gp3" in squeezed(explain(settings))


@pytest.mark.parametrize(
    ("purchase", "column", "says"),
    [
        ({"kind": "onDemand"}, "3 $42.72/h on demand", "$42.72 an hour"),
        ({"kind": "reservation", "id": "cr-01234567"}, "3 $42.72/h reservation", "$42.72 an hour"),
        ({"kind": "spot"}, "3 unknown Spot", "at no published price"),
        (eks_b200_settings()["nodePools"][0]["purchase"], "3 $37.06/h Capacity Block", "$37.06 an hour"),
    ],
)
def test_a_way_of_buying_has_a_price_of_its_own(
    explain: Any, purchase: dict[str, str], column: str, says: str
) -> None:
    settings = eks_b200_settings()
    settings["nodePools"][0]["purchase"] = purchase
    shown = squeezed(explain(settings))
    assert column in shown
    assert f"IDLE b200: 3 of 8 GPUs idle, {says}" in shown


def test_a_graph_whose_pool_waits_for_its_window_is_said_to_come_later(explain: Any) -> None:
    settings = eks_b200_settings()
    settings["nodePools"][0]["purchase"]["phase"] = "waiting"
    shown = squeezed(explain(settings))
    assert (
        "WAITING no graph is made yet: pool b200 has no node before its Capacity Block cr-0123456789abcdef0 "
        "opens at 2026-12-01T11:30:00Z; then purchase.phase: active, and `up`"
    ) in shown
    assert "DynamoGraphDeployment" not in shown.partition(" ORDER ")[2].partition(" RETAINED ")[0]
    assert "WAITING" not in explain(eks_b200_settings())


def test_what_destroy_leaves_is_what_is_there_when_the_cluster_is_gone(explain: Any) -> None:
    left = squeezed(explain(eks_gb200_settings())).partition(" RETAINED ")[2].partition(" SERVERS ")[0]
    assert left == (
        "Log group /aws/eks/gpt-oss/cluster: EKS makes it again; delete it before another of this name "
        "KMS key Secrets of the cluster gpt-oss: AWS deletes it 30 days later "
        "Local Zone group us-east-1-dfw-2: opted in to; only AWS Support opts out again"
    )


def test_what_is_protected_is_listed_with_what_lifts_it(explain: Any) -> None:
    settings = eks_gb200_settings()
    shown = squeezed(explain(settings)).partition(" PROTECTED ")[2].partition(" RETAINED ")[0]
    lifted = "lifted by lifecycle: disposable (runbook: destroy-a-cluster)"
    assert shown == f"network, cluster, key, EFS, claim, namespaces; {lifted}"
    assert "PROTECTED" not in explain(settings | {"lifecycle": "disposable"})


def test_what_is_made_in_the_account_is_counted_before_the_objects_in_the_cluster(explain: Any) -> None:
    order = squeezed(explain(eks_b200_settings())).partition(" ORDER ")[2]
    assert order.startswith("account (")
    assert "resources) > StorageClass gp3 > " in order
    assert "PersistentVolumeClaim model-cache > " in order
    assert "Release aws-efa-k8s-device-plugin, gpu-operator" in order


@pytest.mark.parametrize("settings", [eks_b200_settings(), eks_gb200_settings()], ids=["b200", "gb200"])
def test_it_fits_on_one_screen(explain: Any, settings: dict[str, Any]) -> None:
    lines = explain(settings).splitlines()
    assert len(lines) <= SCREEN_LINES
    assert max(map(len, lines)) <= SCREEN_COLUMNS
