"""What surrounds a graph: compute domain, model cache, exposure, monitor, and what rules read of it."""

from typing import Any

import pytest

from tests.components.recorded import named, objects, recorded, spec_of
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, disagg_gb200_settings
from tests.support.shipped_stacks import served_settings

GRAPH = "DynamoGraphDeployment gpt-oss-disagg"
DOMAIN = "ComputeDomain gpt-oss-disagg-compute-domain"


def _serving(**serving: Any) -> dict[str, Any]:
    settings = disagg_b200_settings()
    settings["serving"] |= serving
    return settings


def test_a_graph_whose_kv_cache_crosses_nvlink_has_the_compute_domain_that_its_pods_claim_by() -> None:
    graph = recorded(disagg_gb200_settings())
    domain, served = objects(graph)[DOMAIN], objects(graph)[GRAPH]
    spec = spec_of(graph, DOMAIN)
    assert spec["numNodes"] == 0
    template = spec["channel"]["resourceClaimTemplate"]["name"]
    assert domain.namespace == served.namespace
    assert f"'resourceClaimTemplateName': '{template}'" in str(spec_of(graph, GRAPH))
    # Pods release their channels before it goes.
    assert domain.urn in served.dependencies
    annotations: Any = domain.metadata["annotations"]
    assert annotations == {"pulumi.com/deletionPropagationPolicy": "background"}
    assert domain.custom_timeouts.delete == 600
    for settings in (disagg_b200_settings(), agg_gb200_settings()):
        assert named(recorded(settings), "ComputeDomain") == []


def test_an_existing_volume_is_checked_and_neither_it_nor_its_namespace_is_created_or_deleted() -> None:
    source = {"kind": "existingVolume", "claimName": "weights"}
    settings = disagg_b200_settings() | {"model": {"source": source}}
    del settings["modelCache"]
    graph = recorded(settings)
    assert named(graph, "PersistentVolumeClaim") == []
    assert named(graph, "Namespace") == ["dynamo-system"]
    job = objects(graph)["Job model-check"]
    assert job.namespace == "gpt-oss"
    assert job.urn in objects(graph)[GRAPH].dependencies
    assert job.custom_timeouts.create is not None
    for name in ("Job model-check", GRAPH):
        assert "weights" in str(spec_of(graph, name))


@pytest.mark.parametrize(("fabric", "told"), [("roce", True), ("infiniband", False)])
def test_workers_are_told_when_their_rdma_devices_speak_ethernet(fabric: str, told: bool) -> None:
    settings = disagg_b200_settings()
    settings["nodePools"][0]["rdma"] = {"resource": "rdma/shared", "fabric": fabric}
    settings["serving"]["kvTransport"] = "rdma"
    spec = str(spec_of(recorded(settings), GRAPH))
    assert ("'UCX_IB_ADDR_TYPE'" in spec) is told


def test_a_copy_from_a_bucket_carries_no_token() -> None:
    source = {"kind": "s3", "address": "s3://models/gpt-oss-120b", "serviceAccountName": "model-reader"}
    settings = disagg_b200_settings() | {"model": {"source": source}}
    graph = recorded(settings, token="hf_planted")
    assert named(graph, "Secret") == []
    [job] = named(graph, "Job")
    assert spec_of(graph, f"Job {job}")["template"]["spec"]["serviceAccountName"] == "model-reader"


def test_nothing_is_reachable_from_outside_or_scraped_unless_it_was_typed() -> None:
    graph = recorded(disagg_b200_settings())
    assert named(graph, "Ingress") == named(graph, "PodMonitor") == []
    assert {spec_of(graph, f"Service {name}").get("type") for name in named(graph, "Service")} == {None}


def test_an_internal_load_balancer_is_internal_on_every_cloud() -> None:
    graph = recorded(_serving(exposure={"kind": "internalLoadBalancer"}))
    service = objects(graph)["Service gpt-oss-disagg-internal"]
    annotations: Any = service.metadata["annotations"]
    assert annotations == {
        "service.beta.kubernetes.io/aws-load-balancer-scheme": "internal",
        "service.beta.kubernetes.io/aws-load-balancer-internal": "true",
        "networking.gke.io/load-balancer-type": "Internal",
        "service.beta.kubernetes.io/azure-load-balancer-internal": "true",
        # AWS would cut a silent answer after 60 s.
        "service.beta.kubernetes.io/aws-load-balancer-connection-idle-timeout": "3600",
        # And after 350 s where the AWS Load Balancer Controller makes a Network Load Balancer.
        "service.beta.kubernetes.io/aws-load-balancer-listener-attributes.TCP-8000": (
            "tcp.idle_timeout.seconds=3600"
        ),
    }
    spec = spec_of(graph, "Service gpt-oss-disagg-internal")
    assert (spec["type"], spec["ports"][0]["port"]) == ("LoadBalancer", 8000)
    assert spec["selector"] == {
        "nvidia.com/dynamo-graph-deployment-name": "gpt-oss-disagg",
        "nvidia.com/dynamo-component-type": "frontend",
    }
    assert objects(graph)[GRAPH].urn in service.dependencies
    assert service.custom_timeouts.create == 600


def test_an_ingress_leads_to_the_frontend_by_the_class_and_host_that_were_typed() -> None:
    exposure = {
        "kind": "ingress",
        "className": "internal-nginx",
        "host": "gpt-oss.example.com",
        "tlsSecretName": "gpt-oss-tls",
    }
    graph = recorded(_serving(exposure=exposure))
    spec = spec_of(graph, "Ingress gpt-oss-disagg-frontend")
    assert spec["ingressClassName"] == "internal-nginx"
    assert spec["tls"] == [{"hosts": ["gpt-oss.example.com"], "secretName": "gpt-oss-tls"}]
    [rule] = spec["rules"]
    [path] = rule["http"]["paths"]
    assert rule["host"] == "gpt-oss.example.com"
    assert path["backend"]["service"] == {"name": "gpt-oss-disagg-frontend", "port": {"number": 8000}}
    annotations: Any = objects(graph)["Ingress gpt-oss-disagg-frontend"].metadata["annotations"]
    assert annotations["alb.ingress.kubernetes.io/scheme"] == "internal"


def test_a_pod_monitor_scrapes_prefill_and_decode_which_the_platforms_own_misses() -> None:
    graph = recorded(_serving(podMonitor={"labels": {"release": "prometheus"}}))
    spec = spec_of(graph, "PodMonitor gpt-oss-disagg")
    assert spec["selector"]["matchLabels"] == {
        "nvidia.com/dynamo-graph-deployment-name": "gpt-oss-disagg",
        "nvidia.com/metrics-enabled": "true",
    }
    assert [endpoint["port"] for endpoint in spec["podMetricsEndpoints"]] == ["http", "system", "nixl"]
    labels: Any = objects(graph)["PodMonitor gpt-oss-disagg"].metadata["labels"]
    assert labels["release"] == "prometheus"


def test_the_monitor_of_a_server_finds_its_pods_at_its_own_path() -> None:
    settings = served_settings("latency-b200")
    settings["serving"] |= {"podMonitor": {"labels": {"release": "prometheus"}}}
    graph = recorded(settings)
    [name] = named(graph, "PodMonitor")
    monitor = spec_of(graph, f"PodMonitor {name}")
    pod = spec_of(graph, f"Deployment {name}")["template"]
    assert monitor["selector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    [endpoint] = monitor["podMetricsEndpoints"]
    [container] = pod["spec"]["containers"]
    assert endpoint == {"port": container["ports"][0]["name"], "path": "/prometheus/metrics"}


def test_rules_read_the_kv_transport_and_the_waivers_from_the_component() -> None:
    waiver = {"rule": "kv-transport-proven", "reason": "a trial", "expires": "2099-12-31"}
    settings = disagg_gb200_settings() | {"waivers": [waiver]}
    [component] = recorded(settings).of_type("dynamo-stack:components:DynamoGraph")
    assert component.inputs["waivers"] == [waiver]
    transport: Any = component.inputs["kvTransport"]
    assert (transport["name"], transport["typed"], transport["standing"]) == ("mnnvl", True, "unproven")
    assert transport["reason"]
    assert transport["ceiling"]
    [aggregated] = recorded(agg_gb200_settings()).of_type("dynamo-stack:components:DynamoGraph")
    assert "kvTransport" not in aggregated.inputs
