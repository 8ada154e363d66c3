"""Compute domains: who claims their channel, where, and how many."""

from tests.rules.case import TWO_B200, On
from tests.rules.edits import document, drop, put, without
from tests.rules.names import DECODE, PREFILL, VLLM_MAIN, VLLM_POD
from tests.rules.serving_edits import of_service as service

CLAIMS, TRAY = "compute-domain-claims", "workers-fit-pool"
DOMAIN = "one-compute-domain"

DGD = "DynamoGraphDeployment"
NETWORK = "networking.gke.io.networks/rdma-0"
GRAPH, DOMAIN_NAME = "gpt-oss-disagg", "gpt-oss-disagg-compute-domain"
WORKERS = (PREFILL, DECODE)


def _claim(name: str, template: str) -> dict[str, str]:
    return {"name": name, "resourceClaimTemplateName": template}


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
    On(CLAIMS, "disagg-gb200", DECODE).fails(
        "a claim that the pod does not have",
        "its container uses the claim compute-domain-channel, but the pod has none of that name",
        drop(DGD, f"spec.services.{DECODE}.extraPodSpec.resourceClaims"),
    ),
    On(CLAIMS, "disagg-gb200", DECODE).fails(
        "a claim that no container uses",
        "its pod claims the compute domain's channel as compute-domain-channel",
        drop(DGD, f"spec.services.{DECODE}.resources.claims"),
    ),
    On(CLAIMS, "disagg-gb200", DECODE).fails(
        "a claim that the pod does not have beside one of a template in another file",
        "its container uses the claim compute-domain-channel, but the pod has none of that name",
        service(DECODE, "extraPodSpec.resourceClaims", [_claim("other", "elsewhere")]),
        undecided_for=(DECODE,),
    ),
    On(CLAIMS, "disagg-gb200", *WORKERS).is_undecided(
        "an absent domain", "judge its ComputeDomain together with the graph", without("ComputeDomain")
    ),
    On(DOMAIN, "disagg-gb200").passes(
        "a domain that nobody shows, of which another rule speaks", without("ComputeDomain")
    ),
    On(TRAY, "disagg-gb200", f"{DECODE}, {PREFILL}").fails(
        "two prefill pods and one decode pod on two trays",
        "3 pods (1 of TrtllmDecodeWorker + 2 of TrtllmPrefillWorker) each claim",
        "but pool p6e-gb200.36xlarge has 2 nodes",
        service(PREFILL, "replicas", 2),
    ),
    On(TRAY, "disagg-gb200", *WORKERS).is_undecided(
        "a domain of whose channel nobody knows", "judge its ComputeDomain together", without("ComputeDomain")
    ),
    On(TRAY, "disagg-gb200").passes(
        "a tray for each of three pods", service(PREFILL, "replicas", 2), pools=trays(3)
    ),
    On(DOMAIN, "disagg-gb200", GRAPH).fails(
        "a domain each, and a network on one side alone",
        "domains: gpt-oss-disagg-compute-domain by TrtllmPrefillWorker, second by TrtllmDecodeWorker",
        SECOND_DOMAIN,
        service(DECODE, "extraPodSpec.resourceClaims[0].resourceClaimTemplateName", "second-channel"),
        service(PREFILL, f"extraPodSpec.mainContainer.resources.limits[{NETWORK}]", "1"),
    ),
    On(DOMAIN, "disagg-gb200").passes(
        "a domain each, and a network on both sides",
        SECOND_DOMAIN,
        service(DECODE, "extraPodSpec.resourceClaims[0].resourceClaimTemplateName", "second-channel"),
        service(DECODE, "extraPodSpec.mainContainer.resources.limits[vpc.amazonaws.com/efa]", "4"),
        service(PREFILL, f"extraPodSpec.mainContainer.resources.limits[{NETWORK}]", "1"),
    ),
    On(DOMAIN, "disagg-gb200").passes("a node for each pod", put("ComputeDomain", "spec.numNodes", 2)),
    On(DOMAIN, "disagg-gb200", DOMAIN_NAME).advises(
        "as many nodes as an NVL72 has, for two pods",
        "has numNodes 18, but 2 pods of a node each claim its channel",
        put("ComputeDomain", "spec.numNodes", 18),
    ),
    On(DOMAIN, "disagg-gb200", DOMAIN_NAME).fails(
        "a domain of more nodes than an NVL72 has",
        "has numNodes 20, but a compute domain has 18 nodes at most",
        put("ComputeDomain", "spec.numNodes", 20),
    ),
    On(DOMAIN, "disagg-gb200", GRAPH).fails(
        "more pods than an NVL72 has trays",
        "19 pods (18 of TrtllmPrefillWorker + 1 of TrtllmDecodeWorker) of a node each share one compute",
        service(PREFILL, "replicas", 18),
        pools=trays(20),
    ),
    On(DOMAIN, "disagg-gb200", DOMAIN_NAME).is_undecided(
        "a number that is none", "numNodes is 'many', not a", put("ComputeDomain", "spec.numNodes", "many")
    ),
    On(CLAIMS, "vllm-agg", "VllmWorker").advises(
        "a claim on nodes whose NVLink ends there",
        "claims a compute domain's channel as channel, but can land on B200, whose NVLink ends at",
        SECOND_DOMAIN,
        put(DGD, "spec.components[1].replicas", 2),
        put(DGD, f"{VLLM_POD}.resourceClaims", [_claim("channel", "second-channel")]),
        put(DGD, f"{VLLM_MAIN}.resources.claims", [{"name": "channel"}]),
        pools=TWO_B200,
    ),
    On("nvlink-domain-holds-the-pods", "disagg-gb200", GRAPH).fails(
        "more than the larger domain has",
        ("binds 80 GPUs", "but an NVLink domain of p6e-gb200.36xlarge has 72 at most"),
        service(PREFILL, "replicas", 19),
        pools=trays(20),
    ),
    On("nvlink-domain-holds-the-pods", "disagg-gb200").passes(
        "as much as the larger domain has", service(PREFILL, "replicas", 17), pools=trays(20)
    ),
)
