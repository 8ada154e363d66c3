"""Prefill and decode share one compute domain, which is in their namespace and not too large."""

from collections.abc import Iterator, Mapping

from resource_graph import Resource, ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.guarded import check_resources
from rules.reading.kv_transport.disaggregation import Disaggregated, read_disaggregated
from rules.reading.nodes.channel_claims import claiming_pods, read_channel_claims
from rules.reading.nodes.device_claims import domains_of_template, may_be_one, read_device_claims
from rules.reading.nodes.network_devices import efa_interfaces, rdma_devices
from rules.reading.pods.workers import Worker, check_workers
from rules.reading.shapes import Undecided, whole_number_at

MOST_NODES = 18
"""Trays of an NVL72, and nodes that the DRA driver lets into one domain."""

_KIND = "ComputeDomain"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    yield from check_resources(graph.kubernetes_objects(_KIND), _check_size)
    yield from check_workers(graph, lambda worker: _check_namespace(graph, worker))
    for group in read_disaggregated(graph):
        try:
            yield from _check_group(graph, group)
        except Undecided:
            # Of the worker whose claim cannot be read another rule says so.
            continue


def _check_size(domain: Resource) -> Iterator[Observation]:
    nodes = whole_number_at(domain.inputs, "spec", "numNodes")
    if nodes is not None and nodes > MOST_NODES:
        yield failed(
            domain,
            domain.name,
            f"has numNodes {nodes}, but a compute domain has {MOST_NODES} nodes at most",
        )


def _check_namespace(graph: ResourceGraph, worker: Worker) -> Iterator[Observation]:
    namespace = worker.resource.namespace
    for claim in read_device_claims(graph, worker.template):
        if claim.template is None or claim.device_classes is not None:
            continue
        for domain in domains_of_template(graph, claim.template):
            if not may_be_one(domain.namespace, namespace):
                yield failed(
                    worker.resource,
                    worker.name,
                    f"claims {claim.template} in namespace {namespace}, but its ComputeDomain "
                    f"{domain.object_name} makes that template in namespace {domain.namespace}",
                )


def _check_group(graph: ResourceGraph, group: Disaggregated) -> Iterator[Observation]:
    of_worker = [(worker, read_channel_claims(graph, worker).domains) for worker in group.workers]
    claiming = [(worker, domains[0]) for worker, domains in of_worker if domains]
    domains = {domain.urn: (worker, domain) for worker, domain in claiming}
    if len(domains) > 1:
        if not _have_network_devices(group):
            yield failed(group.resource, group.name, f"uses several compute domains: {_listed(domains)}")
        return
    pods = sum(claiming_pods(worker) for worker, _ in claiming)
    if pods > MOST_NODES:
        counted = " + ".join(f"{claiming_pods(worker)} of {worker.name}" for worker, _ in claiming)
        yield failed(
            group.resource,
            group.name,
            f"{pods} pods ({counted}) of a node each share one compute domain, which has {MOST_NODES} nodes "
            "at most",
        )


def _have_network_devices(group: Disaggregated) -> bool:
    """Whether the cache need not take NVLink: then a domain for each kind of worker serves its own ranks."""
    return all(rdma_devices(worker) or efa_interfaces(worker) for worker in group.workers)


def _listed(domains: Mapping[str, tuple[Worker, Resource]]) -> str:
    return ", ".join(f"{domain.object_name} by {worker.name}" for worker, domain in domains.values())


RULE = Rule(
    id="one-compute-domain",
    title="Prefill and decode share one compute domain, which is in their namespace and not too large",
    severity=Severity.MANDATORY,
    reason=(
        "Memory is shared inside one ComputeDomain only, and pods without a network device have no other "
        "fast way for the cache. Its controller makes the claim template in the domain's own namespace, so "
        "that pods elsewhere wait for ever, and a domain of more than 18 nodes never gets ready. Its spec "
        "cannot be changed: another size means another domain."
    ),
    source=(
        "kubernetes-sigs/dra-driver-nvidia-gpu (api/nvidia.com/resource/v1beta1/computedomain.go), "
        "kubernetes-sigs/dra-driver-nvidia-gpu#619"
    ),
    lines=("NVIDIA DRA driver of 2026-08",),
    fix=(
        "One ComputeDomain with numNodes 0 beside the graph, claimed by prefill and decode through one "
        "template; at most 18 claiming pods."
    ),
    check=_check,
)
