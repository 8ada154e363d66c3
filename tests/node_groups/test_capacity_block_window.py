"""GPUs in a Capacity Block, from before its window to its end, on the lab's account and cluster (simulated).

The account's clock is set; nothing else tells the stack what time it is.
"""

import datetime as dt
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from lab import aws_cloud
from lab.environment import sealed_environment
from lab.rehearsal import SETTINGS, Rehearsal, rehearsal
from tests.comparison.applied.deployed import Deployed
from tests.comparison.applied.judgement import assert_that_it_was_said
from tests.eks.conftest import changing_requests
from tests.support.eks_settings import eks_b200_settings
from tests.support.faults.capacity_blocks import set_clock, write_reservations
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox
from tests.support.waiting import until

STARTS, ENDS = "2027-12-01T11:30:00Z", "2027-12-02T11:30:00Z"
NODE = "gpt-oss-b200-0"
ANOTHER, ANOTHER_STARTS = "cr-fedcba98", "2027-12-01T12:30:00Z"
REFUSED = 1
"""Of pulumi, where the program ends with an error."""


def _at(text: str, minutes: float = 0) -> dt.datetime:
    return dt.datetime.fromisoformat(text) + dt.timedelta(minutes=minutes)


class _Window:
    """The stack, and what a person types."""

    def __init__(self, run: Rehearsal, settings: dict[str, Any]) -> None:
        self.lab, self._run, self._settings = run.lab, run, settings

    @property
    def stack(self) -> LabStack:
        return LabStack(Sandbox(self.lab, sealed_environment(self.lab)), self._run.project, "block")

    def phase(self, phase: str) -> None:
        self._settings["nodePools"][0]["purchase"]["phase"] = phase
        content = {"config": {"pulumi:disable-default-providers": ["*"], SETTINGS: self._settings}}
        (self._run.project / "Pulumi.block.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")

    def type(self, *command: str, code: int = 0, **variables: str) -> str:
        environment = sealed_environment(self.lab) | {"NO_COLOR": "1"} | variables
        answer = subprocess.run(
            command, cwd=self._run.project, env=environment, capture_output=True, text=True, check=False
        )
        said = answer.stdout + answer.stderr
        assert answer.returncode == code, said
        assert "Traceback" not in said
        return " ".join(said.split())

    def block(self, identifier: str) -> None:
        self._settings["nodePools"][0]["purchase"]["id"] = identifier

    def ready_within(self, seconds: int) -> None:
        self._settings["serving"]["readyTimeoutSeconds"] = seconds
        self.phase(self._settings["nodePools"][0]["purchase"]["phase"])

    def up(self, code: int = 0) -> str:
        command = ("pulumi", "up", "--yes", "--skip-preview", "--stack", "block", "--non-interactive")
        return self.type(*command, code=code)

    def doctor(self, code: int = 0) -> str:
        """With a kubeconfig that `aws eks update-kubeconfig` has added the cluster to."""
        known = yaml.safe_load(self.lab.kubeconfig.read_text(encoding="utf-8"))
        known["contexts"].append(known["contexts"][0] | {"name": "gpt-oss"})
        file = self.lab.root / "with-the-cluster"
        file.write_text(yaml.safe_dump(known), encoding="utf-8")
        return self.type("dynamo-stack", "doctor", "block", code=code, KUBECONFIG=str(file))

    def preflight(self, code: int = 0) -> str:
        return self.type("dynamo-stack", "preflight", "block", code=code)

    def changes_of_groups(self) -> list[dict[str, Any]]:
        """Sizes that were asked of EKS after the groups were made."""
        asked = [
            each for each in aws_cloud.requests(self.lab) if each["operation"] == "UpdateNodegroupConfig"
        ]
        return [each["parameters"]["scalingConfig"] for each in asked]

    def health(self) -> str:
        """What EKS says of the GPU node group that does not launch; empty where all is well."""
        store = json.loads((self.lab.cloud / "store.json").read_text(encoding="utf-8"))
        groups = store["eks-node-groups"].values()
        return " ".join(issue["message"] for each in groups for issue in each["health"]["issues"])

    def gpu_nodes(self) -> dict[str, str]:
        """Node -> the instance that it is."""
        found = self.items("nodes", "-l", "eks.amazonaws.com/nodegroup=gpt-oss-b200")
        return {each["metadata"]["name"]: each["spec"]["providerID"] for each in found}

    def graphs(self) -> list[str]:
        return [each["status"]["state"] for each in self.items("dynamographdeployments", "-n", "gpt-oss")]

    def items(self, *arguments: str) -> list[dict[str, Any]]:
        """The objects that `kubectl get` lists."""
        return self.stack.lab.get(*arguments)["items"]


@pytest.mark.lab
@pytest.mark.slow
def test_a_block_is_waited_for_filled_served_on_and_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = eks_b200_settings()
    settings["cluster"]["monitoring"] = True
    settings["lifecycle"] = "disposable"
    settings["nodePools"][0]["purchase"] |= {"starts": STARTS, "ends": ENDS, "phase": "waiting"}
    file = tmp_path / "Pulumi.block.yaml"
    file.write_text(yaml.safe_dump({"config": {SETTINGS: settings}}), encoding="utf-8")
    with rehearsal("block", file) as run:
        window = _Window(run, settings)
        window.phase("waiting")
        building = run.building(print)
        next(building)
        _buy(window)
        _before(window)
        _in_the_window(window, Deployed(window.stack, monkeypatch), tmp_path)
        _on_another_block(window)
        _at_the_end(window)


def _buy(window: _Window) -> None:
    file = window.lab.cloud / "capacity-reservations.json"
    [block] = json.loads(file.read_text(encoding="utf-8"))
    write_reservations(window.lab, [block | {"EndDate": ENDS}])
    set_clock(window.lab, _at(STARTS, minutes=-60))
    window.type("pulumi", "stack", "select", "--create", "block")


def _before(window: _Window) -> None:
    said = window.up()
    assert (
        f"no graph: pool b200 has no node before its Capacity Block cr-0123456789abcdef0 opens at {STARTS}"
        in said
    )
    assert "pool b200: 3 of 8 GPUs idle, $37.06 an hour" in said
    assert window.gpu_nodes() == {}
    assert window.graphs() == []
    [download] = window.items("jobs", "-n", "gpt-oss")
    assert download["status"]["succeeded"] == 1
    assert "phase waiting is due" in window.preflight()
    # Typed too early: EC2 would refuse the launches, and preflight says it before.
    window.phase("active")
    said = window.preflight(code=1)
    assert "phase waiting is due, active is typed: nothing starts before the window" in said
    window.phase("waiting")
    _is_watched(window)


def _is_watched(window: _Window) -> None:
    [prometheus] = window.items("prometheuses", "-n", "monitoring")
    assert prometheus["spec"]["podMonitorSelector"] == {}
    assert prometheus["spec"]["storage"]["volumeClaimTemplate"]["spec"]["storageClassName"] == "gp3"
    secret = window.stack.lab.get("secret", "kube-prometheus-stack-grafana", "-n", "monitoring")
    assert len(secret["data"]["admin-password"]) > 40
    state = window.type("pulumi", "stack", "export", "--stack", "block", "--show-secrets")
    assert secret["data"]["admin-password"] not in state


def _in_the_window(window: _Window, deployed: Deployed, folder: Path) -> None:
    set_clock(window.lab, _at(STARTS, minutes=1))
    until(lambda: NODE in window.gpu_nodes(), "the scheduled action fills the group", 20, cluster=window.lab)
    filled = window.gpu_nodes()
    assert "phase active is due, waiting is typed" in window.preflight(code=1)
    # Somebody has not read it: the nodes stay.
    window.up()
    assert (window.gpu_nodes(), window.changes_of_groups()) == (filled, [])
    base = deployed.recorded(folder / "base", None)
    window.phase("active")
    assert "phase active is due" in window.preflight()
    compared = deployed.over(base, folder / "head")
    applied = deployed.up()
    assert "no graph" not in applied.said
    assert window.graphs() == ["successful"]
    # What workers ask for is counted from the day on which the block is typed.
    asked = sum(each.used for each in compared.before.gpus)
    assert applied.outcome.used_gpus == (0, asked)
    assert_that_it_was_said(
        compared, replace(applied, outcome=replace(applied.outcome, used_gpus=(asked, asked)))
    )
    # The size is what it was already: no node was ended or started by it.
    assert window.changes_of_groups() == [{"minSize": 0, "maxSize": 1, "desiredSize": 1}]
    assert window.gpu_nodes() == filled
    [monitor] = window.items("podmonitors", "-n", "gpt-oss")
    assert (
        monitor["spec"]["selector"]["matchLabels"]["nvidia.com/dynamo-graph-deployment-name"]
        == "gpt-oss-disagg"
    )


def _on_another_block(window: _Window) -> None:
    file = window.lab.cloud / "capacity-reservations.json"
    [block] = json.loads(file.read_text(encoding="utf-8"))
    later = {"CapacityReservationId": ANOTHER, "StartDate": ANOTHER_STARTS, "State": "scheduled"}
    write_reservations(window.lab, [block, block | later])
    running = window.gpu_nodes()
    # In one step EKS would exchange nodes for which the block has no place.
    window.block(ANOTHER)
    window.phase("active")
    asked = changing_requests(window.lab)
    for command in ("preview", "up --yes --skip-preview"):
        said = window.type("pulumi", *command.split(), "--stack", "block", "--non-interactive", code=REFUSED)
        assert (
            "would exchange 1 node of a Capacity Block that may run in pool b200 (what nodes are made of)"
            in said
        )
    assert changing_requests(window.lab) == asked
    assert window.gpu_nodes() == running
    # In two it goes, though the other one's window has not opened when somebody types active.
    window.block("cr-0123456789abcdef0")
    window.phase("empty")
    assert "interruption: gpt-oss-disagg is deleted, and nothing serves" in window.up()
    until(lambda: window.gpu_nodes() == {}, "the emptied pool has no node", 30, cluster=window.lab)
    assert window.graphs() == []
    window.block(ANOTHER)
    window.phase("active")
    with ThreadPoolExecutor() as beside:
        up = beside.submit(window.up)
        try:
            until(lambda: "PendingActivation" in window.health(), "EKS takes the size, EC2 launches nothing")
            assert window.gpu_nodes() == {}
        finally:
            # `up` waits for the nodes, which come when the window opens.
            set_clock(window.lab, _at(ANOTHER_STARTS, minutes=1))
        assert (
            "pool b200: what nodes are made of: it has no node, and the next ones are made so" in up.result()
        )
    assert window.health() == ""
    assert window.graphs() == ["successful"]
    assert window.gpu_nodes().keys() == running.keys()
    assert window.gpu_nodes() != running


def _at_the_end(window: _Window) -> None:
    set_clock(window.lab, _at(ENDS, minutes=-39))
    until(
        lambda: window.gpu_nodes() == {},
        "EKS empties the group before the block ends",
        30,
        cluster=window.lab,
    )
    said = window.preflight(code=1)
    assert "over, or so near that EKS drains it" in said
    assert "buy another, and type its id" in said
    lost = "pool b200: 0 of 1 nodes with its labels are in the cluster"
    assert f"{lost}; its Capacity Block {ANOTHER} ends at {ENDS}" in window.doctor(code=1)
    # What EKS has done is not undone, and nothing serves.
    asked = window.changes_of_groups()
    window.ready_within(seconds=10)
    said = window.up(code=REFUSED)
    assert "stack block does not serve, though nothing is left to change: graph gpt-oss/" in said
    assert "docs/runbook/graph-never-ready.md" in said
    assert window.changes_of_groups() == asked
    assert window.gpu_nodes() == {}
