"""Published graphs, as files and as what `recipes import` makes of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from cli.recipe_import.recipe import import_graph
from resource_graph.manifests import read_manifests

if TYPE_CHECKING:
    from cli.recipe_import.recipe import Imported

AGGREGATED, DISAGGREGATED = "gpt-oss-120b/trtllm-agg", "gpt-oss-120b/trtllm-disagg"
VLLM = "gpt-oss-120b/vllm-agg"
PUBLISHED = Path(__file__).parents[1] / "rules" / "published"
# The publisher's page names the tag of release 1.2.1 for the disaggregated recipe.
FILES = {
    AGGREGATED: ("trtllm-agg-0.6.0", ""),
    DISAGGREGATED: ("trtllm-disagg-0.7.0", ":0.7.0"),
    VLLM: ("vllm-agg-b200-agentic", ""),
}


def graph_documents(name: str) -> list[dict[str, Any]]:
    file, tag = FILES[name]
    text = (PUBLISHED / f"{file}.yaml").read_text(encoding="utf-8")
    return list(yaml.safe_load_all(text.replace(tag, ":1.2.1") if tag else text))


def _in_v1beta1(documents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same pods in the words of the newer API version."""
    config, graph = documents
    services = graph["spec"]["services"]
    spec = {"backendFramework": "trtllm", "components": [_component(*item) for item in services.items()]}
    return [config, graph | {"apiVersion": "nvidia.com/v1beta1", "spec": spec}]


def _component(name: str, service: dict[str, Any]) -> dict[str, Any]:
    pod = dict(service["extraPodSpec"])
    container = {"name": "main", **pod.pop("mainContainer")}
    volumes = list(pod.pop("volumes", []))
    for mount in service.get("volumeMounts", []):
        claim = {"claimName": mount["name"]}
        volumes.append({"name": mount["name"], "persistentVolumeClaim": claim})
        container["volumeMounts"] = [
            *container["volumeMounts"],
            {"name": mount["name"], "mountPath": mount["mountPoint"]},
        ]
    if "envFromSecret" in service:
        container["envFrom"] = [{"secretRef": {"name": service["envFromSecret"]}}]
    for kind, amounts in service.get("resources", {}).items():
        container.setdefault("resources", {})[kind] = {"nvidia.com/gpu": amounts["gpu"]}
    types = {"Frontend": "frontend", "TrtllmPrefillWorker": "prefill", "TrtllmDecodeWorker": "decode"}
    component = {
        "name": name,
        "type": types.get(name, "worker"),
        "replicas": service["replicas"],
        "podTemplate": {"spec": {**pod, "volumes": volumes, "containers": [container]}},
    }
    shared = service.get("sharedMemory")
    return component | ({"sharedMemorySize": shared["size"]} if shared else {})


def published_graph(name: str, version: str = "v1alpha1") -> list[dict[str, Any]]:
    documents = graph_documents(name)
    is_it = documents[1]["apiVersion"] == f"nvidia.com/{version}"
    return documents if is_it else _in_v1beta1(documents)


def written_graph(folder: Path, documents: list[dict[str, Any]]) -> Path:
    file = folder / "deploy.yaml"
    file.write_text(yaml.safe_dump_all(documents, sort_keys=False), encoding="utf-8")
    return file


def imported_graph(folder: Path, documents: list[dict[str, Any]]) -> Imported:
    return import_graph(read_manifests([written_graph(folder, documents)]), "deploy.yaml", None)


def with_worker(documents: list[dict[str, Any]], **fields: object) -> list[dict[str, Any]]:
    """Other fields in the worker's container."""
    container = documents[1]["spec"]["services"]["TrtllmWorker"]["extraPodSpec"]["mainContainer"]
    container.update(fields)
    return documents
