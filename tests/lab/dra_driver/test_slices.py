"""What nodes offer to compute domains."""

from typing import Any

from lab.dra_driver.slices import slice_changes, slice_for


def node(name: str, clique: str | None = "uuid.1") -> dict[str, Any]:
    labels = {"nvidia.com/gpu.clique": clique} if clique else {}
    return {"metadata": {"name": name, "uid": f"uid-of-{name}", "labels": labels}}


def test_only_nodes_in_a_clique_have_a_slice_and_only_slices_of_this_driver_are_touched() -> None:
    there = slice_for(node("there"))
    gone = slice_for(node("gone"))
    foreign = {"metadata": {"name": "foreign"}, "spec": {"driver": "gpu.example.com"}}
    nodes = [node("there"), node("new"), node("gone", clique=None), node("plain", clique=None)]
    missing, stale = slice_changes(nodes, [there, gone, foreign])
    assert [each["spec"]["nodeName"] for each in missing] == ["new"]
    assert [each["spec"]["nodeName"] for each in stale] == ["gone"]
