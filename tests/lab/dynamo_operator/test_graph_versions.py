"""The same graph in v1alpha1 and v1beta1: the same pods, checked by the same rules, kept whole on the way."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from lab.dynamo_operator.conversion import V1ALPHA1, converted
from lab.dynamo_operator.conversion.review import convert
from lab.dynamo_operator.pod import CannotReconcile
from tests.lab.dynamo_operator.built import HASH, objects, read
from tests.lab.dynamo_operator.reviews import refusal
from tests.lab.fixtures.graphs import TOLERATIONS, toy_graph, worker

CACHE = {"name": "cache", "persistentVolumeClaim": {"claimName": "cache"}}
CHANNEL = {"name": "channel", "resourceClaimTemplateName": "channel"}
AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}
PROBE = {"httpGet": {"path": "/live", "port": "system"}, "failureThreshold": 900}


def alpha() -> dict[str, Any]:
    """Everything that a graph of real workers says, as services."""

    def service(role: str, gpus: str) -> dict[str, Any]:
        limits = {"gpu": gpus, "cpu": "16", "memory": "128Gi", "custom": {"vpc.amazonaws.com/efa": "4"}}
        main = {
            "image": "registry.example/worker:1.2.1",
            "command": ["python3"],
            "args": ["-m", role],
            "startupProbe": PROBE,
            "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
            "volumeMounts": [{"name": "cache", "mountPath": "/models"}],
        }
        pod = {
            "tolerations": TOLERATIONS,
            "affinity": AFFINITY,
            "volumes": [CACHE],
            "resourceClaims": [CHANNEL],
            "securityContext": {"runAsUser": 0},
            "mainContainer": main,
        }
        return worker(
            role,
            gpus,
            replicas=2,
            resources={"limits": limits, "requests": limits, "claims": [{"name": "channel"}]},
            sharedMemory={"size": "80Gi"},
            envs=[{"name": "ROLE", "value": role}],
            readinessProbe={"httpGet": {"path": "/ready", "port": "system"}},
            extraPodMetadata={"labels": {"team": "a"}, "annotations": {"note": "b"}},
            extraPodSpec=pod,
        )

    graph = toy_graph(Prefill=service("prefill", "1"), Decode=service("decode", "4"))
    graph["spec"] |= {"envs": [{"name": "SHARED", "value": "1"}], "annotations": {"a": "b"}}
    return graph


def beta() -> dict[str, Any]:
    """The same as components."""

    def component(name: str, role: str, gpus: int) -> dict[str, Any]:
        limits = {"cpu": "16", "memory": "128Gi", "nvidia.com/gpu": gpus, "vpc.amazonaws.com/efa": 4}
        main = {
            "name": "main",
            "image": "registry.example/worker:1.2.1",
            "command": ["python3"],
            "args": ["-m", role],
            "env": [{"name": "ROLE", "value": role}],
            "startupProbe": PROBE,
            "readinessProbe": {"httpGet": {"path": "/ready", "port": "system"}},
            "securityContext": {"capabilities": {"add": ["IPC_LOCK"]}},
            "volumeMounts": [{"name": "cache", "mountPath": "/models"}],
            "resources": {"limits": limits, "requests": limits, "claims": [{"name": "channel"}]},
        }
        pod = {
            "tolerations": TOLERATIONS,
            "affinity": AFFINITY,
            "volumes": [CACHE],
            "resourceClaims": [CHANNEL],
            "securityContext": {"runAsUser": 0},
            "containers": [main],
        }
        metadata = {"labels": {"team": "a"}, "annotations": {"note": "b"}}
        template = {"metadata": metadata, "spec": pod}
        return {
            "name": name,
            "type": role,
            "replicas": 2,
            "sharedMemorySize": "80Gi",
            "podTemplate": template,
        }

    main = {"name": "main", "image": "registry.example/frontend:1.2.1"}
    frontend = {"name": "Frontend", "type": "frontend", "podTemplate": {"spec": {"containers": [main]}}}
    graph = toy_graph()
    graph["apiVersion"] = "nvidia.com/v1beta1"
    graph["spec"] = {
        "backendFramework": "trtllm",
        "env": [{"name": "SHARED", "value": "1"}],
        "annotations": {"a": "b"},
        "components": [
            frontend | {"replicas": 1},
            component("Prefill", "prefill", 1),
            component("Decode", "decode", 4),
        ],
    }
    return graph


def changed(**fields: Any) -> dict[str, Any]:
    """The v1beta1 graph with other fields in its decode component."""
    graph = beta()
    graph["spec"]["components"][2] |= fields
    return graph


def deployment(graph: dict[str, Any], name: str) -> dict[str, Any]:
    return objects(graph)["Deployment", name]


def test_both_versions_of_a_graph_become_the_same_objects() -> None:
    assert objects(beta()) == objects(alpha())


def test_a_components_claims_resources_and_pod_settings_reach_its_pod() -> None:
    pod = deployment(beta(), f"toy-decode-{HASH}")["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    assert container["resources"]["claims"] == [{"name": "channel"}]
    assert container["resources"]["limits"]["nvidia.com/gpu"] == "4"
    assert container["resources"]["limits"]["vpc.amazonaws.com/efa"] == "4"
    assert (pod["resourceClaims"], pod["affinity"]) == ([CHANNEL], AFFINITY)
    assert pod["securityContext"] == {"runAsUser": 0}
    assert container["readinessProbe"] == {"httpGet": {"path": "/ready", "port": "system"}}
    assert container["startupProbe"]["failureThreshold"] == 900
    assert container["livenessProbe"]["httpGet"]["path"] == "/live"


@pytest.mark.parametrize(
    ("size", "volumes"), [("0", ["cache"]), ("16Gi", ["cache", "shared-memory"]), (None, None)]
)
def test_shared_memory_is_the_operators_unless_its_size_is_0(
    size: str | None, volumes: list[str] | None
) -> None:
    graph = changed() if size is None else changed(sharedMemorySize=size)
    if size is None:
        del graph["spec"]["components"][2]["sharedMemorySize"]
    pod = deployment(graph, f"toy-decode-{HASH}")["spec"]["template"]["spec"]
    assert [each["name"] for each in pod["volumes"]] == (volumes or ["cache", "shared-memory"])
    if size is None:
        assert pod["volumes"][1]["emptyDir"]["sizeLimit"] == "8Gi"


def test_the_rollout_is_steered_by_the_pods_annotations_or_the_graphs() -> None:
    recreate = {"nvidia.com/deployment-strategy": "Recreate"}
    of_pod = changed()
    of_pod["spec"]["components"][2]["podTemplate"]["metadata"]["annotations"] = recreate
    of_graph = beta()
    of_graph["spec"]["annotations"] = recreate
    for graph, others in ((of_pod, "RollingUpdate"), (of_graph, "Recreate")):
        assert deployment(graph, f"toy-decode-{HASH}")["spec"]["strategy"]["type"] == "Recreate"
        assert deployment(graph, "toy-frontend")["spec"]["strategy"]["type"] == others


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (beta() | {"spec": {"components": []}}, "spec.services must have at least one service"),
        (changed(experimental={"failover": {"mode": "IntraPod"}}), "failover requires gpuMemoryService"),
        (changed(type="epp"), "spec.services[Decode]: cannot deploy EPP component"),
        (changed(topologyConstraint={"packDomain": "rack"}), "spec.topologyConstraint is required"),
    ],
)
def test_the_rules_of_services_hold_for_components(graph: dict[str, Any], words: str) -> None:
    assert words in (refusal(converted(graph, V1ALPHA1)) or "")


def test_an_accepted_graph_may_scale_and_may_not_lose_a_component() -> None:
    old = beta()
    as_stored = converted(old, V1ALPHA1)
    assert refusal(converted(changed(replicas=3), V1ALPHA1), old=as_stored) is None
    without = copy.deepcopy(old)
    del without["spec"]["components"][1]
    assert "services removed: [Prefill]" in (refusal(converted(without, V1ALPHA1), old=as_stored) or "")


def test_the_status_counts_components_in_one_version_and_services_in_the_other() -> None:
    counts = {"componentKind": "Deployment", "componentNames": ["toy-decode-old", "toy-decode-new"]}
    rolling = {"phase": "InProgress", "updatedComponents": ["Decode"]}
    graph = beta() | {"status": {"components": {"Decode": counts}, "rollingUpdate": rolling}}
    status = converted(graph, V1ALPHA1)["status"]
    assert status["services"]["Decode"]["componentName"] == "toy-decode-new"
    assert status["rollingUpdate"]["updatedServices"] == ["Decode"]
    assert read(graph)["status"] == graph["status"]


def test_a_frontend_sidecar_must_be_one_of_the_containers() -> None:
    with pytest.raises(CannotReconcile, match='frontendSidecar "sidecar" does not match any podTemplate'):
        objects(changed(frontendSidecar="sidecar"))
    graph = changed(frontendSidecar="helper")
    containers = graph["spec"]["components"][2]["podTemplate"]["spec"]["containers"]
    containers.insert(0, {"name": "helper", "image": "frontend:1.2.1"})
    pod = deployment(graph, f"toy-decode-{HASH}")["spec"]["template"]["spec"]
    assert [each["name"] for each in pod["containers"]] == ["main", "helper"]
    assert pod["containers"][1]["ports"][0]["containerPort"] == 8000


def test_order_read_only_mounts_and_containers_of_v1beta1_survive_being_stored() -> None:
    graph = beta()
    template = graph["spec"]["components"][2]["podTemplate"]["spec"]
    template["containers"][0]["volumeMounts"][0]["readOnly"] = True
    template["containers"].insert(0, {"name": "helper", "image": "x"})
    assert [each["name"] for each in read(graph)["spec"]["components"]] == ["Frontend", "Prefill", "Decode"]
    found = read(graph)["spec"]["components"][2]["podTemplate"]["spec"]["containers"]
    assert [each["name"] for each in found] == ["helper", "main"]
    assert found[1]["volumeMounts"] == template["containers"][1]["volumeMounts"]


def test_a_v1alpha1_graph_that_v1beta1_writes_back_is_what_it_was() -> None:
    graph = alpha()
    graph["spec"]["pvcs"] = [{"name": "cache"}]
    graph["spec"]["services"]["Decode"] |= {
        "annotations": {"a": "b"},
        "labels": {"c": "d"},
        "ingress": {"enabled": False},
        "scalingAdapter": {"enabled": False},
        "envFromSecret": "token",
        "frontendSidecar": {"image": "frontend:1.2.1", "envFromSecret": "token"},
        "volumeMounts": [{"name": "cache", "mountPoint": "/a", "useAsCompilationCache": True}],
    }
    seen = converted(graph, "nvidia.com/v1beta1")
    seen["metadata"]["annotations"]["x"] = "y"
    seen["status"] = {"state": "pending"}
    assert converted(seen, V1ALPHA1)["spec"] == graph["spec"]


def test_the_conversion_webhook_answers_every_object_or_says_why_not() -> None:
    def review(api_version: str, *graphs: Any) -> Any:
        request = {"uid": "1", "desiredAPIVersion": api_version, "objects": graphs}
        kind = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview"}
        return convert(kind | {"request": request})["response"]

    answer = review(V1ALPHA1, alpha(), beta())
    assert (answer["uid"], answer["result"]) == ("1", {"status": "Success"})
    assert [each["apiVersion"] for each in answer["convertedObjects"]] == [V1ALPHA1, V1ALPHA1]
    assert review("nvidia.com/v2", alpha())["result"]["status"] == "Failed"


def test_a_graph_without_metadata_is_converted_to_one_without_which_the_api_server_refuses() -> None:
    """Seen with the operator of the 1.2 line: v1beta1 applied over a graph that was applied as v1alpha1."""
    pruned = {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment", "spec": {}}
    assert "metadata" not in converted(pruned, "nvidia.com/v1beta1")
