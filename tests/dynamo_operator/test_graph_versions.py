"""The same graph in v1alpha1 and v1beta1: the same pods, checked by the same rules."""

from __future__ import annotations

import base64
import copy
import json
from typing import Any

import pytest

from lab.dynamo_operator.admission.review import mutate
from lab.dynamo_operator.components import workers_hash
from lab.dynamo_operator.configuration import OperatorConfiguration
from lab.dynamo_operator.conversion import with_services
from lab.dynamo_operator.manifests import component_objects, components_of, shared_objects
from lab.dynamo_operator.pod import CannotReconcile
from lab.dynamo_operator.status import Outcome, Override, ServiceState, graph_status
from tests.dynamo_operator.reviews import PLAIN, refusal, review
from tests.lab_fixtures.graphs import TOLERATIONS, toy_graph, worker

HASH = "0123abcd"
CONFIGURATION = OperatorConfiguration(
    version="1.2.1", nats_address="nats://nats:4222", etcd_address="etcd:2379"
)
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


def objects(graph: dict[str, Any]) -> list[dict[str, Any]]:
    """Every object of the graph, its owner's version left out."""
    graph = with_services(graph)
    made = shared_objects(graph, CONFIGURATION)
    for component in components_of(graph, HASH):
        made += component_objects(component, CONFIGURATION, component.replicas, [])
    for manifest in made:
        (owner,) = manifest["metadata"]["ownerReferences"]
        assert owner.pop("apiVersion") == graph["apiVersion"]
    return made


def changed(**fields: Any) -> dict[str, Any]:
    """The v1beta1 graph with other fields in its decode component."""
    graph = beta()
    graph["spec"]["components"][2] |= fields
    return graph


def deployment(graph: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [
        each for each in objects(graph) if (each["kind"], each["metadata"]["name"]) == ("Deployment", name)
    ]
    return found


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


def test_a_changed_pod_template_starts_a_new_generation_and_replicas_do_not() -> None:
    def hashed(graph: dict[str, Any]) -> str:
        return workers_hash(with_services(graph)["spec"]["services"])

    assert hashed(changed(replicas=5)) == hashed(beta())
    assert hashed(changed(sharedMemorySize="1Gi")) != hashed(beta())


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
    assert words in (refusal(graph) or "")


def test_an_accepted_graph_may_scale_and_may_not_lose_a_component() -> None:
    old = beta()
    assert refusal(changed(replicas=3), old=old) is None
    without = copy.deepcopy(old)
    del without["spec"]["components"][1]
    assert "services removed: [Prefill]" in (refusal(without, old=old) or "")


def test_replicas_are_filled_in_where_the_component_is() -> None:
    graph = beta()
    del graph["spec"]["components"][0]["replicas"]
    response = mutate(review(graph), PLAIN)["response"]
    patch = json.loads(base64.b64decode(response["patch"]))
    assert {"op": "add", "path": "/spec/components/0/replicas", "value": 1} in patch


def test_the_status_counts_components() -> None:
    state = {"metadata": {"name": "toy-decode", "generation": 1, "labels": {}}, "spec": {"replicas": 1}}
    outcome = Outcome(services=[ServiceState("Decode", 1, [state])])
    status = graph_status(beta(), outcome, Override(), "2026-01-01T00:00:00Z")
    assert status["components"]["Decode"]["componentNames"] == ["toy-decode"]
    assert "componentName" not in status["components"]["Decode"]
    assert "services" not in status
    assert "componentName" in graph_status(alpha(), outcome, Override(), "")["services"]["Decode"]


def test_a_named_frontend_sidecar_is_refused_plainly_rather_than_left_out() -> None:
    graph = with_services(changed(frontendSidecar="sidecar"))
    with pytest.raises(CannotReconcile, match="frontendSidecar of v1beta1 is not simulated"):
        components_of(graph, HASH)
