"""What a ComputeDomain becomes: a claim template, a status, labels on nodes. Pure: no API calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.dra_driver.slices import DRIVER, RESOURCE_API, clique_of

if TYPE_CHECKING:
    from lab.controller.api import Manifest

DOMAIN_API = "resource.nvidia.com/v1beta1"
DOMAIN_KIND = "ComputeDomain"
# The finalizer of domain and template, and the label of template and nodes, share one name.
MARK = "resource.nvidia.com/computeDomain"
_CHANNEL_CLASS = "compute-domain-default-channel.nvidia.com"
_READY, _NOT_READY = "Ready", "NotReady"


def template_for(domain: Manifest) -> Manifest:
    """The ResourceClaimTemplate by which pods of the domain's namespace claim a channel."""
    metadata, channel = domain["metadata"], domain["spec"]["channel"]
    parameters = {
        "apiVersion": DOMAIN_API,
        "kind": "ComputeDomainChannelConfig",
        "domainID": metadata["uid"],
        "allocationMode": channel.get("allocationMode", "Single"),
    }
    return {
        "apiVersion": RESOURCE_API,
        "kind": "ResourceClaimTemplate",
        "metadata": {
            "name": channel["resourceClaimTemplate"]["name"],
            "namespace": metadata["namespace"],
            "finalizers": [MARK],
            "labels": {MARK: metadata["uid"]},
        },
        "spec": {
            "spec": {
                "devices": {
                    "requests": [{"name": "channel", "exactly": {"deviceClassName": _CHANNEL_CLASS}}],
                    "config": [
                        {"requests": ["channel"], "opaque": {"driver": DRIVER, "parameters": parameters}}
                    ],
                }
            }
        },
    }


def is_template_of(template: Manifest, domain: Manifest) -> bool:
    """Whether the template was made for this very domain, not for an earlier one or by somebody else."""
    label = template["metadata"].get("labels", {}).get(MARK)
    return bool(label == domain["metadata"]["uid"])


def nodes_by_domain(claims: list[Manifest]) -> dict[str, list[str]]:
    """Which nodes hold an allocated claim of a domain, by the domain's uid, in alphabetical order."""
    found: dict[str, set[str]] = {}
    for claim in claims:
        devices = (claim.get("status", {}).get("allocation") or {}).get("devices", {})
        nodes = {each["pool"] for each in devices.get("results", []) if each["driver"] == DRIVER}
        for entry in devices.get("config", []):
            opaque = entry.get("opaque") or {}
            if opaque.get("driver") == DRIVER:
                found.setdefault(opaque["parameters"]["domainID"], set()).update(nodes)
    return {uid: sorted(nodes) for uid, nodes in found.items()}


def status_for(domain: Manifest, nodes: list[Manifest]) -> Manifest:
    """The domain's status with the nodes that it spans."""
    # A number of nodes above zero only holds Ready back; it neither places nor limits anything.
    enough = len(nodes) >= max(1, domain["spec"].get("numNodes", 0))
    status: Manifest = {"status": _READY if enough else _NOT_READY}
    if nodes:
        status["nodes"] = [
            {
                "name": node["metadata"]["name"],
                "cliqueID": clique_of(node) or "",
                "ipAddress": _address(node),
                "index": index,
                "status": _READY,
            }
            for index, node in enumerate(nodes)
        ]
    return status


def node_label_changes(nodes: list[Manifest], members: dict[str, list[str]]) -> dict[str, str | None]:
    """Nodes whose domain label is not what their allocated claim says: the new value, None to remove it."""
    wanted = {name: uid for uid, names in members.items() for name in names}
    changes: dict[str, str | None] = {}
    for node in nodes:
        name = node["metadata"]["name"]
        if node["metadata"].get("labels", {}).get(MARK) != wanted.get(name):
            changes[name] = wanted.get(name)
    return changes


def _address(node: Manifest) -> str:
    addresses = {each["type"]: each["address"] for each in node.get("status", {}).get("addresses", [])}
    return addresses.get("InternalIP", "")
