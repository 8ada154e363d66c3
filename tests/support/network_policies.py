"""NetworkPolicies as a connection meets them: whether a pod accepts it, and which opening lets it in.

A model for policies that nobody enforces here. What it does not know it refuses, so that no policy is judged
by less than what it says.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

NAMESPACE_NAME = "kubernetes.io/metadata.name"


@dataclass(frozen=True)
class Labelled:
    """A pod as policies see it."""

    namespace: Mapping[str, str]
    """Labels of its namespace, of which one is the name."""
    pod: Mapping[str, str]


@dataclass(frozen=True)
class Opening:
    """One port that one policy opens to one kind of peer."""

    policy: str
    port: int | None
    """None: every port."""
    peer: str
    """In words."""

    def __str__(self) -> str:
        return f"{self.policy}: {self.port or 'any port'} from {self.peer}"


def accepts(policies: Iterable[Mapping[str, Any]], target: Labelled, port: int, source: Labelled) -> bool:
    """Whether no policy selects the target, or one of those that do opens the port to the source."""
    there = list(policies)
    return not any(_selects(policy, target) for policy in there) or bool(
        openings_for(there, target, port, source)
    )


def openings_of(policies: Iterable[Mapping[str, Any]]) -> set[Opening]:
    """Return all that the policies open."""
    return {opening for policy in policies for opening, _ in _openings(policy)}


def openings_for(
    policies: Iterable[Mapping[str, Any]], target: Labelled, port: int, source: Labelled
) -> set[Opening]:
    """Return the openings through which the target accepts the connection."""
    return {
        opening
        for policy in policies
        if _selects(policy, target)
        for opening, peer in _openings(policy)
        if opening.port in {None, port} and _is_peer(peer, target, source)
    }


def _selects(policy: Mapping[str, Any], pod: Labelled) -> bool:
    inside = policy["metadata"]["namespace"] == pod.namespace[NAMESPACE_NAME]
    return inside and _matches(policy["spec"]["podSelector"], pod.pod)


def _openings(policy: Mapping[str, Any]) -> Iterator[tuple[Opening, Mapping[str, Any]]]:
    spec, name = policy["spec"], policy["metadata"]["name"]
    if spec["policyTypes"] != ["Ingress"]:
        raise NotImplementedError(f"{name}: the model knows policies for incoming connections alone")
    for rule in spec.get("ingress", ()):
        for port in _ports(name, rule):
            for peer in rule["from"]:
                yield Opening(name, port, _peer_in_words(peer)), peer


def _ports(name: str, rule: Mapping[str, Any]) -> list[int | None]:
    for each in rule.get("ports", ()):
        if each.keys() != {"protocol", "port"} or each["protocol"] != "TCP" or type(each["port"]) is not int:
            raise NotImplementedError(f"{name}: the model knows single TCP ports alone, not {each}")
    return [each["port"] for each in rule.get("ports", ())] or [None]


def _is_peer(peer: Mapping[str, Any], target: Labelled, source: Labelled) -> bool:
    if "ipBlock" in peer:
        # Who comes by address is no pod: a load balancer, a client outside the cluster.
        return False
    if "namespaceSelector" in peer:
        inside = _matches(peer["namespaceSelector"], source.namespace)
    else:
        inside = source.namespace[NAMESPACE_NAME] == target.namespace[NAMESPACE_NAME]
    return inside and _matches(peer.get("podSelector", {}), source.pod)


def _matches(selector: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    return selector.get("matchLabels", {}).items() <= labels.items() and all(
        _is_among(each, labels) for each in selector.get("matchExpressions", ())
    )


def _is_among(expression: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    if expression["operator"] != "In":
        raise NotImplementedError(f"the model knows no operator {expression['operator']}")
    return labels.get(expression["key"]) in expression["values"]


def _peer_in_words(peer: Mapping[str, Any]) -> str:
    if "ipBlock" in peer:
        return peer["ipBlock"]["cidr"]
    pods = _selector_in_words("pods", peer.get("podSelector", {}))
    if "namespaceSelector" not in peer:
        return f"{pods} of its namespace"
    return f"{pods} of {_selector_in_words('namespaces', peer['namespaceSelector'])}"


def _selector_in_words(kind: str, selector: Mapping[str, Any]) -> str:
    wanted = [f"{key}={value}" for key, value in selector.get("matchLabels", {}).items()]
    wanted += [f"{each['key']}={'|'.join(each['values'])}" for each in selector.get("matchExpressions", ())]
    return f"{kind} {', '.join(wanted)}" if wanted else f"all {kind}"
