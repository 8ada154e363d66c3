"""Whether NetworkPolicies let pods be reached, and reach what they load their models from."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Resource, ResourceGraph, Value
from rules.reading.model_users import ModelUser, read_model_users
from rules.reading.pods.operator_defaults import pod_ports, port_names
from rules.reading.pods.pod_affinity import selects
from rules.reading.pods.pods import (
    PodTemplate,
    gets_containers,
    in_namespace,
    pods_near,
    readable,
)
from rules.reading.pods.workers import frontends_of_pods, server_port, servers_of
from rules.reading.shapes import field, grouped, known, mapping_at, mappings_at, memoized, texts_at
from rules.rule import EVERY_RELEASE, Observation, Severity, advised, failed, graph_rule, kubernetes_objects

_POLICY = "NetworkPolicy"
_PORTS_OF_MESHES = frozenset({4143, 4191, 15001, 15006, 15008, 15020, 15021, 15090})
"""Of Linkerd's and Istio's proxies, through which requests reach a pod whose manifest has none of them
(https://linkerd.io/2/reference/architecture/; https://istio.io/latest/docs/ambient/usage/networkpolicy/)."""
_PORTS_OF_WORKERS = frozenset({9090, 19090})
"""What the operator gives the workers of a graph: their system port, and NIXL's metrics."""
_OF_OTHERS = ("CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy")
"""Policies that add to Kubernetes' own, and that nobody reads here."""
_IN = "Ingress"
_OUT = "Egress"


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "A pod that a policy selects is reached at the ports of its policies alone, which add up: at any "
        "other port connections hang, while every pod is Ready. With Egress among policyTypes and no egress "
        "rule it resolves no name and downloads nothing. Advice where further rules may stand elsewhere, or "
        "a claim may hold the model already."
    ),
    source="https://kubernetes.io/docs/concepts/services-networking/network-policies/",
    lines=EVERY_RELEASE,
    fix=(
        "Admit the port that the pods listen on, not their Service's; leave Egress out of policyTypes, or "
        "add rules for DNS and the hub."
    ),
)
def network_policies_admit(graph: ResourceGraph) -> Iterator[Observation]:
    """NetworkPolicies leave pods without the port or the hub that they need."""
    yield from kubernetes_objects(_POLICY).judge(graph, _ingress)
    for user in readable(read_model_users(graph)):
        yield from known(_egress, graph, user) or ()


def _ingress(graph: ResourceGraph, policy: Resource) -> Iterator[Observation]:
    acts = _IN in _types(policy)
    selected = [pod for pod in pods_near(graph, policy.namespace) if acts and _is_selected(policy, pod)]
    for index, entry in enumerate(mappings_at(policy.inputs, "spec", "ingress") if selected else ()):
        message = _closed(graph, entry, selected)
        if message is not None:
            yield failed(policy, policy.name, message, ("spec", "ingress", index, "ports"))


def _closed(graph: ResourceGraph, entry: Mapping[str, Value], selected: Sequence[PodTemplate]) -> str | None:
    """The port that stays closed where a rule admits none that its pods have."""
    ports = mappings_at(entry, "ports")
    if not ports or _has_others(graph):
        return None
    if any(gets_containers(pod) or _may_have(graph, pod, port) for pod in selected for port in ports):
        return None
    shown = ", ".join(str(port.get("port")) for port in ports)
    for pod in selected:
        for number, source in _served(graph, pod).items():
            if not _is_admitted(graph, pod, number):
                said = f"admits port {shown} to {pod.name}, which listens on {number} ({source})"
                return f"{said}: no client reaches it"
    return None


def _may_have(graph: ResourceGraph, pod: PodTemplate, port: Mapping[str, Value]) -> bool:
    """Whether the port may be one of the pod's: it serves or declares it, or names its number anywhere."""
    number = port.get("port")
    if port.get("protocol") not in (None, "TCP") or port.get("endPort") is not None:
        return True
    if isinstance(number, str):
        # The API server refuses a number in quotes.
        return number in pod_ports(pod) or number in port_names(pod) or number.isdigit()
    if not isinstance(number, int) or number in _PORTS_OF_MESHES:
        return True
    written = f"{dict(pod.spec)}{dict(pod.described_by)}"
    is_given = number in _PORTS_OF_WORKERS and pod.shape != "workload"
    return number in _served(graph, pod) or is_given or re.search(rf"\b{number}\b", written) is not None


@memoized
def _served(graph: ResourceGraph, pod: PodTemplate) -> Mapping[int, str]:
    """Number of each port at which the pod is asked for answers, and who says so."""
    found: dict[int, str] = {}
    for server in servers_of(graph, pod):
        port = server_port(server)
        found[port.value] = port.source
    for frontend in frontends_of_pods(graph).get(pod, ()):
        port = known(server_port, frontend)
        if port is not None:
            found[port.value] = port.source
    declared = pod_ports(pod)
    for service in in_namespace(_by_namespace(graph, "Service"), pod.resource.namespace):
        for port in mappings_at(service.inputs, "spec", "ports") if _leads_to(service, pod) else ():
            target = port.get("targetPort") or port.get("port")
            number = declared.get(target) if isinstance(target, str) else target
            if isinstance(number, int):
                found.setdefault(number, f"Service {service.name}")
    return found


def _leads_to(service: Resource, pod: PodTemplate) -> bool:
    selector = mapping_at(service.inputs, "spec", "selector")
    return bool(selector) and selects({"matchLabels": dict(selector)}, pod) is True


@memoized
def _by_namespace(graph: ResourceGraph, kind: str) -> Mapping[str | None, Sequence[Resource]]:
    return grouped((each.known_namespace, each) for each in graph.kubernetes_objects(kind))


def _policies_of(graph: ResourceGraph, pod: PodTemplate) -> Sequence[Resource]:
    """The policies that select the pod, or may do so."""
    policies = in_namespace(_by_namespace(graph, _POLICY), pod.resource.namespace)
    return [policy for policy in policies if selects(_selector(policy), pod) is not False]


def _is_admitted(graph: ResourceGraph, pod: PodTemplate, number: int) -> bool:
    """Whether some policy admits others than the pod's own group to the port, or may do so."""
    declared = pod_ports(pod)
    for policy in _policies_of(graph, pod):
        for entry in mappings_at(policy.inputs, "spec", "ingress"):
            ports = mappings_at(entry, "ports")
            if ports and not any(_admits(port, number, declared, pod) for port in ports):
                continue
            if not _is_own_group(graph, pod, mappings_at(entry, "from")):
                return True
    return False


def _admits(port: Mapping[str, Value], number: int, declared: Mapping[str, int], pod: PodTemplate) -> bool:
    first = port.get("port")
    last = port.get("endPort")
    if isinstance(first, str):
        # An operator may give the pods of a graph a port of that name.
        return declared.get(first) == number or (first not in declared and pod.shape != "workload")
    if first is None or not isinstance(first, int):
        return True
    return first <= number <= (last if isinstance(last, int) else first)


def _is_own_group(graph: ResourceGraph, pod: PodTemplate, peers: Sequence[Mapping[str, Value]]) -> bool:
    """Whether peers are pods of the same graph or workload alone."""
    selectors = [mapping_at(peer, "podSelector") for peer in peers]
    # Others may be any pod, or elsewhere.
    if not all(selectors) or any(set(peer) != {"podSelector"} for peer in peers):
        return False
    every = [
        each
        for each in pods_near(graph, pod.resource.namespace)
        if any(selects(selector, each) is not False for selector in selectors)
    ]
    return bool(every) and all(each.resource is pod.resource for each in every)


def _egress(graph: ResourceGraph, user: ModelUser) -> Sequence[Observation]:
    """A pod that is to load its model from the hub, and may send nothing."""
    named = [model.text for model in user.models if model.repository is not None and not model.is_path]
    if user.kind not in {"worker", "download"} or user.is_offline or not named:
        return ()
    policies = [each for each in _policies_of(graph, user.template) if _OUT in _types(each)]
    sure = [policy.name for policy in policies if _is_selected(policy, user.template)]
    if not sure or _has_others(graph):
        return ()
    if any(mappings_at(policy.inputs, "spec", "egress") for policy in policies):
        return ()
    said = f"downloads {named[0]}, and may send nothing, not even ask for a name: NetworkPolicy {sure[0]} has"
    message = f"{said} Egress among its policyTypes, and no policy that was read an egress rule"
    # A cache on a claim may hold the model already, and then the hub need not answer.
    is_kept = user.kind == "worker" and user.mount_of(user.cache_directory) is not None
    # A policy of all pods is often the first of several.
    is_own = any(policy.name in sure and _selector(policy) for policy in policies)
    see = failed if is_own and not is_kept else advised
    return (see(user.resource, user.name, message),)


def _has_others(graph: ResourceGraph) -> bool:
    return any(graph.kubernetes_objects(kind) for kind in _OF_OTHERS)


def _types(policy: Resource) -> Sequence[str | None]:
    types = texts_at(policy.inputs, "spec", "policyTypes")
    return types or ([_IN, _OUT] if mappings_at(policy.inputs, "spec", "egress") else [_IN])


def _selector(policy: Resource) -> Mapping[str, Value]:
    return mapping_at(policy.inputs, "spec", "podSelector")


def _is_selected(policy: Resource, pod: PodTemplate) -> bool:
    # Pods in their node's network have no policies.
    same = policy.namespace == pod.resource.namespace and field(pod.spec, "hostNetwork") is not True
    return same and selects(_selector(policy), pod) is True
