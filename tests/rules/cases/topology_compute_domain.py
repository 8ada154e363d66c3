"""Compute domains: who claims their channel, where, and how many."""

from typing import Any

from tests.rules.case import TWO_B200, Case, failed, undecided
from tests.rules.edits import Edit, document, drop, put, without
from tests.rules.serving_edits import DECODE, PREFILL
from tests.support.dev_settings import disagg_gb200_settings

CLAIMS, TRAY = "compute-domain-claims", "workers-fit-pool"
DOMAIN = "one-compute-domain"
HOLDS = "nvlink-domain-holds-the-pods"

DGD = "DynamoGraphDeployment"
NETWORK = "networking.gke.io.networks/rdma-0"
GRAPH, DOMAIN_NAME = "gpt-oss-disagg", "gpt-oss-disagg-compute-domain"
WORKERS = (PREFILL, DECODE)


def service(worker: str, path: str, value: Any) -> Edit:
    return put(DGD, f"spec.services.{worker}.{path}", value)


def racks(replicas: dict[str, int], domain: int) -> dict[str, Any]:
    settings = disagg_gb200_settings(12)
    settings["serving"]["replicas"] = replicas
    settings["nodePools"][0]["nvlinkDomainGpus"] = domain
    return settings


def trays(nodes: int) -> tuple[tuple[str, int], ...]:
    return (("p6e-gb200.36xlarge", nodes),)


SECOND_DOMAIN = document(
    """
    apiVersion: resource.nvidia.com/v1beta1
    kind: ComputeDomain
    metadata: {name: second, namespace: gpt-oss}
    spec: {numNodes: 0, channel: {resourceClaimTemplate: {name: second-channel}}}
    """
)

CASES = (
    Case(
        CLAIMS,
        "a claim that no container uses",
        "disagg-gb200",
        (drop(DGD, f"spec.services.{PREFILL}.resources.claims"),),
        failed(CLAIMS, PREFILL),
        (
            "its pod claims the compute domain's channel as compute-domain-channel, but no container has "
            "compute-domain-channel in resources.claims",
        ),
    ),
    Case(
        CLAIMS,
        "a claim that the pod does not have",
        "disagg-gb200",
        (drop(DGD, f"spec.services.{DECODE}.extraPodSpec.resourceClaims"),),
        failed(CLAIMS, DECODE),
        ("its container uses the claim compute-domain-channel, but the pod has none of that name",),
    ),
    Case(
        CLAIMS,
        "a domain that nobody shows",
        "disagg-gb200",
        (without("ComputeDomain"),),
        undecided(CLAIMS, *WORKERS),
        ("judge its ComputeDomain together with the graph",),
    ),
    Case(
        DOMAIN,
        "a domain that nobody shows, of which another rule speaks",
        "disagg-gb200",
        (without("ComputeDomain"),),
    ),
    Case(
        TRAY,
        "two prefill pods and one decode pod on two trays",
        "disagg-gb200",
        (service(PREFILL, "replicas", 2),),
        failed(TRAY, f"{DECODE}, {PREFILL}"),
        (
            "3 pods (1 of TrtllmDecodeWorker + 2 of TrtllmPrefillWorker) each claim",
            "but pool p6e-gb200.36xlarge has 2 nodes",
        ),
    ),
    Case(
        TRAY,
        "a tray for each of three pods",
        "disagg-gb200",
        (service(PREFILL, "replicas", 2),),
        pools=trays(3),
    ),
    Case(
        DOMAIN,
        "a domain each, and a network on one side alone",
        "disagg-gb200",
        (
            SECOND_DOMAIN,
            service(DECODE, "extraPodSpec.resourceClaims[0].resourceClaimTemplateName", "second-channel"),
            service(PREFILL, f"extraPodSpec.mainContainer.resources.limits[{NETWORK}]", "1"),
        ),
        failed(DOMAIN, GRAPH),
        (
            "uses several compute domains: gpt-oss-disagg-compute-domain by TrtllmPrefillWorker, second by "
            "TrtllmDecodeWorker",
        ),
    ),
    Case(
        DOMAIN,
        "a domain of more nodes than an NVL72 has",
        "disagg-gb200",
        (put("ComputeDomain", "spec.numNodes", 20),),
        failed(DOMAIN, DOMAIN_NAME),
        ("has numNodes 20, but a compute domain has 18 nodes at most",),
    ),
    Case(
        DOMAIN,
        "more pods than an NVL72 has trays",
        "disagg-gb200",
        (service(PREFILL, "replicas", 18),),
        failed(DOMAIN, GRAPH),
        (
            "19 pods (18 of TrtllmPrefillWorker + 1 of TrtllmDecodeWorker) of a node each share one compute "
            "domain, which has 18 nodes at most",
        ),
        pools=trays(20),
    ),
    Case(
        DOMAIN,
        "a number that is none",
        "disagg-gb200",
        (put("ComputeDomain", "spec.numNodes", "many"),),
        undecided(DOMAIN, DOMAIN_NAME),
        ("spec.numNodes is 'many', not a whole number",),
    ),
    Case(
        CLAIMS,
        "a claim on nodes whose NVLink ends there",
        "vllm-agg",
        (
            SECOND_DOMAIN,
            put(DGD, "spec.components[1].replicas", 2),
            put(
                DGD,
                "spec.components[1].podTemplate.spec.resourceClaims",
                [{"name": "channel", "resourceClaimTemplateName": "second-channel"}],
            ),
            put(
                DGD,
                "spec.components[1].podTemplate.spec.containers[0].resources.claims",
                [{"name": "channel"}],
            ),
        ),
        failed(CLAIMS, "VllmWorker"),
        ("claims a compute domain's channel as channel, but can land on B200, whose NVLink ends at",),
        pools=TWO_B200,
    ),
    Case(
        HOLDS,
        "more than the larger domain has",
        "disagg-gb200",
        (service(PREFILL, "replicas", 19),),
        failed(HOLDS, GRAPH),
        ("binds 80 GPUs", "but an NVLink domain of p6e-gb200.36xlarge has 72 at most"),
        pools=trays(20),
    ),
)
