"""Which worker pods claim the channel of a compute domain, and for whom."""

from dataclasses import dataclass

from resource_graph import Resource, ResourceGraph
from rules.reading.nodes.device_claims import containers_claims, read_device_claims
from rules.reading.pods.workers import Worker
from rules.reading.shapes import Undecided


@dataclass(frozen=True, slots=True)
class ChannelClaims:
    """What one worker pod says of compute-domain channels."""

    by_pod: frozenset[str]
    """Names under which the pod claims a channel."""
    by_container: frozenset[str]
    """Claims that its containers use, channels or not."""
    pod_claims: frozenset[str]
    """Names of all claims of the pod."""
    domains: tuple[Resource, ...]
    """The ComputeDomains whose channels the pod claims, as far as they are part of the graph."""

    @property
    def reaches_a_container(self) -> bool:
        """Whether a channel that the pod claims is handed to one of its containers."""
        return bool(self.by_pod & self.by_container)


def read_channel_claims(graph: ResourceGraph, worker: Worker) -> ChannelClaims:
    """The claims of the worker's pod and of its containers.

    Raises:
        Undecided: a claim's template is neither a ComputeDomain's nor described in the graph.
    """
    claims = read_device_claims(graph, worker.template)
    for claim in claims:
        # A claim made by hand has no template; what it asks for does not change how many there are.
        if claim.device_classes is None and claim.template is not None:
            raise Undecided(
                f"nothing here says what the claim template {claim.template} asks for; if it is a compute "
                "domain's, judge its ComputeDomain together with the graph"
            )
    channels = [claim for claim in claims if claim.is_channel and claim.template is not None]
    return ChannelClaims(
        by_pod=frozenset(claim.name for claim in channels),
        by_container=frozenset(containers_claims(worker.template)),
        pod_claims=frozenset(claim.name for claim in claims),
        domains=tuple(claim.domain for claim in channels if claim.domain is not None),
    )


def claiming_pods(worker: Worker) -> int:
    """How many pods of the worker run at once."""
    return worker.template.replicas * worker.pods_per_worker
