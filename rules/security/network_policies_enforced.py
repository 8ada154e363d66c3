"""NetworkPolicies on EKS act only where the CNI add-on was told to enforce them."""

from collections.abc import Iterator, Mapping
from typing import cast

from resource_graph import Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.engines.engine_yaml import load_engine_yaml
from rules.reading.guarded import check_messages
from rules.reading.shapes import Undecided, field, text_at

_ADDON = "aws:eks/addon:Addon"
_CLUSTER = "aws:eks/cluster:Cluster"
_CNI = "vpc-cni"
_SWITCH = "enableNetworkPolicy"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    policies = len(graph.kubernetes_objects("NetworkPolicy"))
    if not policies:
        return
    addons = [each for each in graph.of_type(_ADDON) if each.inputs.get("addonName") == _CNI]
    yield from check_messages(addons, _addon)
    if addons:
        return
    for cluster in graph.of_type(_CLUSTER):
        yield from _without_addon(cluster)


def _addon(resource: Resource) -> Iterator[str]:
    value = _configured(text_at(resource.inputs, "configurationValues"))
    # The add-on's schema has a text; a truth value is what YAML makes of the same word.
    if str(value).lower() != "true":
        found = "has no" if value is None else "has"
        shown = _SWITCH if value is None else f"{_SWITCH}: {value}"
        yield f"{found} {shown} among its configurationValues, so no NetworkPolicy acts"


def _configured(text: str | None) -> object:
    read = load_engine_yaml(text or "{}")
    if read.problem is not None:
        raise Undecided(f"configurationValues cannot be read: {read.problem}")
    if not isinstance(read.content, Mapping):
        raise Undecided("configurationValues is no mapping")
    return cast("Mapping[str, object]", read.content).get(_SWITCH)


def _without_addon(cluster: Resource) -> Iterator[Observation]:
    try:
        self_managed = field(cluster.inputs, "bootstrapSelfManagedAddons") is not False
    except Undecided as reason:
        yield undecided(cluster, cluster.name, str(reason))
        return
    if self_managed:
        message = f"gets EKS's own {_CNI} without an add-on that sets {_SWITCH}, so no NetworkPolicy acts"
        yield failed(cluster, cluster.name, message)
    else:
        yield undecided(cluster, cluster.name, f"has no {_CNI} add-on here: another CNI decides")


RULE = Rule(
    id="network-policies-enforced",
    title="NetworkPolicies on EKS are enforced",
    severity=Severity.MANDATORY,
    reason=(
        "The VPC CNI ignores every NetworkPolicy until it is told to enforce them, and nothing says so: the "
        "objects are there, and each pod of the cluster reaches frontend, NATS and etcd."
    ),
    source=(
        "https://docs.aws.amazon.com/eks/latest/userguide/cni-network-policy-configure.html (step 4); "
        "https://aws.github.io/amazon-vpc-cni-k8s/docs/network-policy-faq.html (off by default)"
    ),
    lines=EVERY_RELEASE,
    fix='Set configurationValues of the vpc-cni add-on to {"enableNetworkPolicy": "true"}.',
    check=_check,
)
