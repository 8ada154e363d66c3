"""A v1alpha1 graph as this project wrote it before it knew what the operator of the 1.2 line makes of it."""

import copy
from dataclasses import replace
from typing import Any

from recipes.engine_files import engine_files
from recipes.graph_manifest import graph_spec
from stacks.updates.comparable_graph import read_graph
from stacks.updates.deployed import Deployed
from tests.stacks.changed_settings import Change, changed
from tests.stacks.updates.changes import state
from tests.support.dev_settings import resolved

CACHE = "model-cache"
ALPHA: Change = {"platform.graphApi": "v1alpha1"}
BETA: Change = {"platform.graphApi": "v1beta1"}


def spec_of(settings: dict[str, Any]) -> dict[str, Any]:
    """The `spec` of the graph that these settings ask for."""
    stack = resolved(settings)
    placed = stack.serving.placed
    return graph_spec(placed, engine_files(placed).name, stack.platform.graph_api)


def as_written_at_first(settings: dict[str, Any]) -> Deployed:
    """What the state has where volumeMounts and the rollout's annotations are the services' own."""
    before = state(changed(settings, ALPHA))
    [graph] = before.graphs
    old = read_graph(graph.name, graph.namespace, _flat(spec_of(changed(settings, ALPHA))), graph.urn)
    return replace(before, graphs=(old,))


def _flat(spec: dict[str, Any]) -> dict[str, Any]:
    flat = copy.deepcopy(spec)
    flat["pvcs"] = [{"name": CACHE, "create": False}]
    for service in flat["services"].values():
        pod, main = service["extraPodSpec"], service["extraPodSpec"]["mainContainer"]
        [mount] = [mount for mount in main["volumeMounts"] if mount["name"] == CACHE]
        service["volumeMounts"] = [{"name": CACHE, "mountPoint": mount["mountPath"]}]
        _without_cache(pod, "volumes")
        _without_cache(main, "volumeMounts")
        if annotations := service.pop("extraPodMetadata", {}).get("annotations"):
            service["annotations"] = annotations
    return flat


def _without_cache(part: dict[str, Any], key: str) -> None:
    part[key] = [item for item in part[key] if item["name"] != CACHE]
    if not part[key]:
        del part[key]
