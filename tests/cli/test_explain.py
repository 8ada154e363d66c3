"""What `explain --all` says of settings that no golden screen has."""

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Command, merged, squeezed, write_stack
from tests.stacks.changed_settings import ON_A_DISK, ON_EACH_NODE, changed
from tests.stacks.plan.layers.settings import layered
from tests.support.dev_settings import (
    agg_gb200_settings,
    described_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
)
from tests.support.eks_settings import eks_b200_settings, eks_gb200_settings
from tests.support.vllm_settings import DRAFT, overridden_settings

B200_POOL: Mapping[str, Any] = disagg_b200_settings()["nodePools"][0]


def _of(settings: dict[str, Any], changes: Mapping[str, Any], *says: str, never: tuple[str, ...] = ()) -> Any:
    """Settings with changes, and what is said of them; a word that is never said stands for a section."""
    return merged(settings, changes), says, never


def _bought(purchase: Mapping[str, str]) -> dict[str, Any]:
    """An EKS stack whose B200 node is bought so."""
    [pool] = eks_b200_settings()["nodePools"]
    return eks_b200_settings() | {"nodePools": [pool | {"purchase": purchase}]}


CASES = {
    "a server and an etcd of others": _of(
        disagg_gb200_settings(),
        {
            "cluster": {"server": "https://10.0.0.1:6443"},
            "platform": {
                "discovery": "etcd",
                "etcd": {"kind": "external", "addresses": ["http://etcd:2379"]},
            },
        },
        "CLUSTER existing, context gpu-cluster of $KUBECONFIG, server must be https://10.0.0.1:6443",
        "own, Dynamo 1.2.1 in dynamo-system, discovery etcd, NATS own x3, etcd http://etcd",
    ),
    "what a production stack leaves in a cluster of others": _of(
        disagg_gb200_settings(),
        {},
        "RETAINED PersistentVolumeClaim model-cache in gpt-oss: lifecycle production keeps the downloaded",
        "Namespace gpt-oss: it holds the model cache, and would take it along",
        "ServiceAccount planner-serviceaccount in gpt-oss: made by the operator beside every graph",
        "RoleBinding planner-serviceaccount-binding in gpt-oss: made by the operator beside every graph",
        "PersistentVolumeClaim data-dynamo-nats-0, data-dynamo-nats-1, data-dynamo-nats-2 in dynamo-system",
        "Secret webhook-server-cert in dynamo-system: made by the operator, whose successor takes it over",
        "Namespace dynamo-system: it holds the data of NATS, and would take it along",
        never=(" PROTECTED ",),
    ),
    "RDMA that nobody chose": _of(
        disagg_b200_settings(),
        {
            "serving": {"kvTransport": None},
            "nodePools": [{**B200_POOL, "rdma": {"resource": "rdma/ib", "fabric": "infiniband"}}],
        },
        "KV PATH rdma, chosen, documented",
    ),
    "a waiver": _of(
        disagg_b200_settings(),
        {"waivers": [{"rule": "kv-transport-proven", "reason": "measured in May", "expires": "2999-05-31"}]},
        "WAIVED kv-transport-proven until 2999-05-31: measured in May",
    ),
    "a load balancer": _of(
        disagg_b200_settings(),
        {"serving": {"exposure": {"kind": "internalLoadBalancer"}}},
        "in the cluster and an internal load balancer",
    ),
    "an Ingress": _of(
        disagg_b200_settings(),
        {
            "serving": {
                "exposure": {
                    "kind": "ingress",
                    "className": "internal",
                    "host": "llm.example.com",
                    "tlsSecretName": "tls",
                }
            }
        },
        "and https://llm.example.com by Ingress class internal",
    ),
    "a recipe on a GPU that upstream never tried": _of(
        agg_gb200_settings(),
        {"nodePools": [{**B200_POOL, "name": "gb200"}]},
        "EVIDENCE B200: rendered, not validated upstream",
    ),
    "a draft model": _of(
        overridden_settings(
            speculative_config={"method": "eagle3", "model": DRAFT, "num_speculative_tokens": 3}
        ),
        {},
        f"DRAFT {DRAFT} proposes tokens: no structured output (response_format) with it",
    ),
    "a release that keeps tool calls": _of(
        disagg_gb200_settings(), {"platform": {"version": "1.4.2"}}, "Dynamo 1.4.2", never=(" TOOLS ",)
    ),
    "nodes that are described": _of(
        described_settings(),
        {},
        "gpus 1 x 8xB200-amd64 8 B200 5 unknown 3 unknown 1 of 1",
        "PRICES 8xB200-amd64: no price is known",
        "cloud.google.com/gke-accelerator=nvidia-b200",
    ),
    "a version near its end": _of(
        eks_b200_settings(),
        {"cluster": {"version": "1.34"}},
        "Kubernetes 1.34 (standard support ends 2026-12-02) in us-east-1",
        "reached from the VPC alone",
        never=(" WAITING ",),
    ),
    "network, monitoring and storage class of one's own": _of(
        eks_b200_settings(),
        {
            "cluster": {
                "publicCidrs": ["203.0.113.0/24"],
                "monitoring": True,
                "network": {"natPerZone": True},
            },
            "modelCache": {"storage": None, "storageClassName": "gp3"},
        },
        "reached from the VPC and 203.0.113.0/24",
        "a NAT gateway in each zone",
        "model cache: class gp3",
        "kube-prometheus-stack",
    ),
    "a network of others": _of(
        eks_b200_settings() | {"cluster": eks_b200_settings()["cluster"] | {"network": {}}},
        {
            "cluster": {
                "network": {
                    "kind": "existing",
                    "vpcId": "vpc-01234567",
                    "subnets": {"us-east-1a": "subnet-01234567", "us-east-1b": "subnet-01234568"},
                }
            }
        },
        "NETWORK existing, vpc-01234567, subnets in us-east-1a, us-east-1b",
    ),
    "nodes on demand": _of(_bought({"kind": "onDemand"}), {}, "3 $42.72/h on demand", "idle, $42.72 an hour"),
    "nodes of a reservation": _of(
        _bought({"kind": "reservation", "id": "cr-0123456789abcdef0"}),
        {},
        "3 $42.72/h reservation",
        "idle, $42.72 an hour",
        "b200: reservation in us-east-1a, cr-0123456789abcdef0 STORAGE",
    ),
    "Spot nodes": _of(_bought({"kind": "spot"}), {}, "3 unknown Spot", "idle, at no published price"),
    "a region whose file systems have no price": _of(
        eks_b200_settings(),
        {
            "cluster": {"region": "us-west-2", "network": {"zones": ["us-west-2a", "us-west-2b"]}},
            "nodePools": [{**eks_b200_settings()["nodePools"][0], "zone": "us-west-2a"}],
        },
        "$0.35 an hour in us-east-1 (2026-11",
    ),
    "a file system in the region of its nodes": _of(
        eks_b200_settings() | {"modelCache": {"size": "150Gi", "storage": {"kind": "efs"}}},
        {},
        "model cache: EFS, in every zone of the region above; the rest",
    ),
    "a disk of the one node": _of(
        changed(eks_b200_settings(), ON_A_DISK),
        {},
        "model cache: an EBS disk of the one GPU node, gp3, 1000 MiB/s; frontends run there too",
        "4 to 8 16Gi the workers' nodes",
        "PLACEMENT TrtllmPrefillWorker",
    ),
    "a copy on each node": _of(
        changed(eks_gb200_settings(), ON_EACH_NODE),
        {},
        "a copy on each GPU node's own disks, /mnt/k8s-disks/0/gpt-oss-model-cache; front",
        never=("PersistentVolumeClaim model-cache",),
    ),
    "a volume that exists": _of(
        eks_b200_settings(),
        {"modelCache": None, "model": {"source": {"kind": "existingVolume", "claimName": "models"}}},
        "model cache: a volume that exists; the rest: gp3 disks",
    ),
    "a cluster to be thrown away": _of(
        eks_gb200_settings(), {"lifecycle": "disposable"}, never=(" PROTECTED ",)
    ),
    "a stack that serves on layers of others": _of(
        layered("serving"),
        {},
        "this stack owns serving, and nothing else of what its file describes",
        "infrastructure is stack base's: `dynamo-stack explain base`",
        "platform is stack dynamo's: `dynamo-stack explain dynamo`",
        "CLUSTER eks gpt-oss in us-east-1, account 123456789012, made by stack base",
        "PLATFORM run by stack dynamo, Dynamo 1.2.1 in dynamo-system",
        "TrtllmDecodeWorker",
        never=("NETWORK own", " OPERATORS ", "IDLE b200", " SERVERS "),
    ),
    "a stack of the infrastructure": _of(
        layered("infrastructure"),
        {},
        "NETWORK own",
        "IDLE b200: 3 of 8 GPUs",
        never=(" PLATFORM ", " CLIENTS ", "TrtllmDecodeWorker", "model-download"),
    ),
    "a stack of the platform": _of(
        layered("platform"),
        {},
        "PLATFORM own, Dynamo 1.2.1",
        "SERVERS NATS: own, 3 members",
        never=("POOL", " PRICES ", "TrtllmDecodeWorker"),
    ),
}


def _explained(command: Command, folder: Path, settings: dict[str, Any]) -> str:
    write_stack(folder, settings)
    answer = command("explain", "dev", "--all", folder=folder)
    assert (answer.code, answer.err) == (0, "")
    return squeezed(answer.out)


@pytest.mark.parametrize(("settings", "says", "never"), CASES.values(), ids=CASES)
def test_explain_says_what_settings_come_to(
    command: Command, tmp_path: Path, settings: dict[str, Any], says: tuple[str, ...], never: tuple[str, ...]
) -> None:
    shown = _explained(command, tmp_path, settings)
    assert [text for text in says if text not in shown] == []
    assert [text for text in never if text in shown] == []


@pytest.mark.parametrize(
    ("day", "price"),
    [
        ("2026-09-30", "capacityblocks/pricing, 2026-07-01)"),
        ("2026-10-02", "capacityblocks/pricing, 2026-07-01, more than a quarter old)"),
        ("2027-02-01", "$0.35 an hour (2026-11);"),
        ("2027-02-02", "$0.35 an hour (2026-11, more than a quarter old);"),
    ],
)
def test_a_price_that_is_more_than_a_quarter_old_is_said_to_be(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, day: str, price: str
) -> None:
    epoch = dt.datetime.fromisoformat(f"{day}T00:00:00Z").timestamp()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", f"{epoch:.0f}")
    assert price in _explained(command, tmp_path, eks_b200_settings())


@pytest.mark.parametrize("columns", [20, 80])
def test_a_narrow_terminal_breaks_lines_and_nothing_else(
    columns: int, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_stack(tmp_path, disagg_gb200_settings())
    for name, value in {"COLUMNS": str(columns), "FORCE_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    done = command("explain", "dev", "--all", folder=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "\x1b[" in done.out
    lines = re.sub(r"\x1b\[[0-9;]*m", "", done.out).splitlines()
    assert max(map(len, lines)) <= columns
    assert "mnnvl" in done.out
