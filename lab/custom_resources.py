"""Complete CustomResourceDefinitions from the lab's own fixtures.

`fixtures/crds` has the schemas of graphs and compute domains as their sources publish them; what the product
holds objects against is a copy of its own, so that the two can be compared. Such a schema leaves the
Kubernetes core types out: a node with `x-fact: core/v1 PodSpec` stands for that type, and the API
server would take anything inside a pod spec. `custom_resource_definition` puts the types back, so that a
misspelt field inside a pod spec is seen as it is on a real cluster.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.operator_lines import OperatorLine

_CRDS_DIRECTORY = Path(__file__).parent / "fixtures" / "crds"
_SCHEMALESS_FILE = "other-dynamo-1.2.json"

GRAPH_VERSIONS = ("v1alpha1", "v1beta1")
"""What every line serves of graphs; the first is stored."""
_GRAPH = "dynamographdeployment"
_COMPONENT_FILE = "component-deployment-dynamo-1.2.json"
_SNAPSHOT_FILE = "snapshots-dynamo-1.4.json"
_DOMAIN, _DOMAIN_CLIQUE, _DOMAIN_LINE = "computedomain", "computedomainclique", "dra-0.4"
_POD_MONITOR_FILE = "pod-monitor.json"
_CLUSTER_POLICY_FILE = "cluster-policy.json"
_PROMETHEUS_FILE = "prometheus.json"
_CORE_TYPES_FILE = "core-v1.as-inlined.json"

_MARK = "x-fact"
_CUT = "x-kubernetes-preserve-unknown-fields"


def custom_resource_definitions(line: OperatorLine) -> list[dict[str, Any]]:
    """Every CustomResourceDefinition that a line of the platform brings."""
    # Both versions are served: the operator's webhook converts once it has started; until then the API server
    # would store a graph of the other one as an empty spec (ai-dynamo/dynamo#10419).
    graph = custom_resource_definition(_GRAPH, line.schemas, *GRAPH_VERSIONS)
    components = _schemaless_definitions(_COMPONENT_FILE)
    snapshots = _schemaless_definitions(_SNAPSHOT_FILE) if line.has_snapshots else []
    return [graph, *components, *_schemaless_definitions(_SCHEMALESS_FILE), *snapshots]


def cluster_definitions() -> list[dict[str, Any]]:
    """What is installed beside the platform: for NVIDIA's DRA driver and for a Prometheus operator."""
    domain = custom_resource_definition(_DOMAIN, _DOMAIN_LINE, "v1beta1")
    return [domain, *monitoring_definitions()]


def compute_domain_definitions() -> list[dict[str, Any]]:
    """What both NVIDIA's DRA driver and, since 26.7, its GPU operator bring."""
    domain = custom_resource_definition(_DOMAIN, _DOMAIN_LINE, "v1beta1")
    return [domain, custom_resource_definition(_DOMAIN_CLIQUE, _DOMAIN_LINE, "v1beta1")]


def gpu_operator_definitions() -> list[dict[str, Any]]:
    """What the chart of NVIDIA's GPU operator brings."""
    return [*_schemaless_definitions(_CLUSTER_POLICY_FILE), *compute_domain_definitions()]


def monitoring_definitions() -> list[dict[str, Any]]:
    """What the kube-prometheus-stack brings."""
    return [*_schemaless_definitions(_POD_MONITOR_FILE), *_schemaless_definitions(_PROMETHEUS_FILE)]


def custom_resource_definition(kind: str, line: str, *served: str) -> dict[str, Any]:
    """The definition of a release's line that serves those versions and stores the first of them.

    Raises FileNotFoundError for a version that is not held, and KeyError for a core type that is not.
    """
    every = [_read(f"{kind}.{version}.{line}.json") for version in served]
    facts = every[0]
    names = {key: facts[key] for key in ("kind", "listKind", "plural", "singular")}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{facts['plural']}.{facts['group']}", "annotations": facts["annotations"]},
        "spec": {
            "group": facts["group"],
            "names": names | {"shortNames": facts["shortNames"]},
            "scope": facts["scope"],
            "versions": [_version(each, is_stored=each is facts) for each in every],
        },
    }


def _version(facts: dict[str, Any], *, is_stored: bool) -> dict[str, Any]:
    types = _core_types(facts["xFactSet"]) if "xFactSet" in facts else {}
    version: dict[str, Any] = {
        "name": facts["version"],
        "served": True,
        "storage": is_stored,
        "schema": {"openAPIV3Schema": _expand(facts["openAPIV3Schema"], types)},
        "subresources": facts["subresources"],
        "additionalPrinterColumns": facts["additionalPrinterColumns"],
    }
    if facts["deprecated"]:
        version |= {"deprecated": True, "deprecationWarning": facts["deprecationWarning"]}
    return version


def _schemaless_definitions(file: str) -> list[dict[str, Any]]:
    """Definitions whose schemas are not held here: they are there, and take any content."""
    facts = _read(file)
    versions = [
        {
            "name": name,
            "served": True,
            "storage": name == facts["version"],
            "schema": {"openAPIV3Schema": {"type": "object", _CUT: True}},
            "subresources": {"status": {}},
        }
        for name in (facts["version"], *facts.get("furtherVersions", []))
    ]
    return [
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {
                "name": f"{names['plural']}.{facts['group']}",
                # Read by Helm: an uninstall leaves the definition and with it every object of its kind.
                "annotations": {"helm.sh/resource-policy": "keep"},
            },
            "spec": {
                "group": facts["group"],
                "names": names | {"singular": names["kind"].lower(), "listKind": f"{names['kind']}List"},
                "scope": facts["scope"],
                "versions": versions,
            },
        }
        for names in facts["kinds"]
    ]


def _expand(node: Any, types: dict[str, Any]) -> Any:
    """The node with every marked type, at any depth, put back."""
    if isinstance(node, list):
        return [_expand(item, types) for item in node]
    if not isinstance(node, dict):
        return node
    expanded = {key: _expand(value, types) for key, value in node.items() if key != _MARK}
    if _MARK not in node:
        return expanded
    expanded.pop(_CUT, None)
    return _merge(_expand(types[node[_MARK]], types), expanded)


def _merge(core: Any, node: Any) -> Any:
    """The schema file's node over the core type: objects merge key by key, anything else is replaced."""
    if not (isinstance(core, dict) and isinstance(node, dict)):
        return node
    return core | {key: _merge(core[key], value) if key in core else value for key, value in node.items()}


@cache
def _core_types(name: str) -> dict[str, Any]:
    held = _read(_CORE_TYPES_FILE)["sets"][name]
    inherited = _core_types(held["inherits"]) if "inherits" in held else {}
    return inherited | held["types"]


def _read(file: str) -> dict[str, Any]:
    return json.loads((_CRDS_DIRECTORY / file).read_text(encoding="utf-8"))
