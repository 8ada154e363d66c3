"""Admission reviews of small graphs, for the tests of the rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from lab.dynamo_operator.admission.review import validate
from lab.dynamo_operator.admission.rule import Circumstances
from lab.dynamo_operator.configuration import OperatorConfiguration
from tests.lab.fixtures.graphs import toy_graph, worker

PLAIN = Circumstances(OperatorConfiguration(version="1.2.1"))
GROVE = Circumstances(OperatorConfiguration(version="1.2.1", grove_enabled=True))
INFERENCE_POOLS = replace(PLAIN, has_inference_pools=True)
GMS_GATE = Circumstances(OperatorConfiguration(version="1.2.1", gms_snapshot=True))

Change = dict[str, Any]


def review(graph: Change, old: Change | None = None, user: str = "somebody") -> Change:
    return {
        "apiVersion": "admission.k8s.io/v1",
        "kind": "AdmissionReview",
        "request": {
            "uid": "uid-of-request",
            "operation": "CREATE" if old is None else "UPDATE",
            "object": graph,
            "oldObject": old,
            "userInfo": {"username": user},
        },
    }


def answer(graph: Change, circumstances: Circumstances = PLAIN, **options: Any) -> Change:
    response: Change = validate(review(graph, **options), circumstances)["response"]
    assert response["uid"] == "uid-of-request"
    return response


def refusal(graph: Change, circumstances: Circumstances = PLAIN, **options: Any) -> str | None:
    response = answer(graph, circumstances, **options)
    return None if response["allowed"] else response["status"]["message"]


def decode(**fields: Any) -> Change:
    return toy_graph(Decode=worker("decode", "4", **fields))


def spec(**fields: Any) -> Change:
    graph = toy_graph()
    graph["spec"] |= fields
    return graph


def annotated(**annotations: str) -> Change:
    graph = toy_graph()
    graph["metadata"]["annotations"] = {
        f"nvidia.com/{key.replace('_', '-')}": value for key, value in annotations.items()
    }
    return graph


def restart(order: list[str], kind: str = "Sequential") -> Change:
    return spec(restart={"id": "1", "strategy": {"type": kind, "order": order}})


def topology(whole: Change | None, *services: str) -> Change:
    graph = toy_graph()
    if whole is not None:
        graph["spec"]["topologyConstraint"] = whole
    for name in services:
        graph["spec"]["services"][name]["topologyConstraint"] = {"packDomain": "rack"}
    return graph


def picker(**fields: Any) -> Change:
    config = {"configMapRef": {"name": "picker", "key": "config"}}
    return toy_graph(Picker={"componentType": "epp", "eppConfig": config} | fields)


def sharing(gms: Change | None, **fields: Any) -> Change:
    graph = decode(gpuMemoryService=gms, **fields) if gms else decode(**fields)
    graph["spec"]["services"]["Decode"]["componentType"] = fields.get("componentType", "worker")
    return graph


def contained(graph: Change) -> Change:
    graph["metadata"]["annotations"] = {"nvidia.com/dynamo-kube-discovery-mode": "container"}
    return graph


def on_vllm(graph: Change) -> Change:
    graph["spec"]["backendFramework"] = "vllm"
    return graph


def without_services() -> Change:
    return spec(services={})


SERVICE = "spec.services[Decode]"
GMS = {"enabled": True}
INTER = {"enabled": True, "mode": "interPod"}
CLAIM = {
    "name": "cache",
    "create": True,
    "storageClass": "files",
    "size": "1Gi",
    "volumeAccessMode": "ReadWriteMany",
}
SIDECAR = {"image": "registry.example/frontend:1.2.1"}
