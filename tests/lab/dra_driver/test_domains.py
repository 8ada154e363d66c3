"""What a compute domain becomes, and what nodes offer."""

from __future__ import annotations

from typing import Any

import pytest

from lab.dra_driver.domains import (
    is_template_of,
    nodes_by_domain,
    status_for,
    template_for,
)
from lab.dra_driver.slices import slice_changes, slice_for

MARK = "resource.nvidia.com/computeDomain"


def node(name: str, clique: str | None = "uuid.1", **labels: str) -> dict[str, Any]:
    return {
        "metadata": {
            "name": name,
            "uid": f"uid-of-{name}",
            "labels": ({"nvidia.com/gpu.clique": clique} if clique else {}) | labels,
        },
        "status": {"addresses": [{"type": "InternalIP", "address": f"10.0.0.{len(name)}"}]},
    }


def domain(nodes: int = 0) -> dict[str, Any]:
    channel = {"resourceClaimTemplate": {"name": "channel"}, "allocationMode": "Single"}
    metadata = {"name": "domain", "namespace": "demo", "uid": "uid-of-domain"}
    return {"metadata": metadata, "spec": {"numNodes": nodes, "channel": channel}}


def claim(pool: str | None, uid: str = "uid-of-domain") -> dict[str, Any]:
    if pool is None:
        return {"status": {}}
    opaque = {"driver": "compute-domain.nvidia.com", "parameters": {"domainID": uid}}
    result = {"driver": "compute-domain.nvidia.com", "pool": pool, "device": "channel-0"}
    return {"status": {"allocation": {"devices": {"results": [result], "config": [{"opaque": opaque}]}}}}


def test_only_nodes_in_a_clique_have_a_slice_and_only_slices_of_this_driver_are_touched() -> None:
    there = slice_for(node("there"))
    gone = slice_for(node("gone"))
    foreign = {"metadata": {"name": "foreign"}, "spec": {"driver": "gpu.example.com"}}
    nodes = [node("there"), node("new"), node("gone", clique=None), node("plain", clique=None)]
    missing, stale = slice_changes(nodes, [there, gone, foreign])
    assert [each["spec"]["nodeName"] for each in missing] == ["new"]
    assert [each["spec"]["nodeName"] for each in stale] == ["gone"]


@pytest.mark.parametrize(("uid", "own"), [("uid-of-domain", True), ("uid-of-an-earlier-one", False)])
def test_a_template_of_another_domain_is_not_taken_for_ones_own(uid: str, own: bool) -> None:
    template = template_for(domain()) | {"metadata": {"labels": {MARK: uid}}}
    assert is_template_of(template, domain()) is own
    assert not is_template_of({"metadata": {}}, domain())


def test_a_domain_spans_the_nodes_of_its_allocated_claims() -> None:
    claims = [claim("tray-1"), claim("tray-0"), claim("tray-2", "uid-of-another"), claim(None)]
    assert nodes_by_domain(claims) == {
        "uid-of-domain": ["tray-0", "tray-1"],
        "uid-of-another": ["tray-2"],
    }


@pytest.mark.parametrize(
    ("wanted", "present", "status"),
    [(0, 0, "NotReady"), (0, 1, "Ready"), (2, 1, "NotReady"), (2, 2, "Ready")],
)
def test_a_number_of_nodes_only_holds_ready_back(wanted: int, present: int, status: str) -> None:
    assert status_for(domain(wanted), [node(f"tray-{i}") for i in range(present)])["status"] == status
