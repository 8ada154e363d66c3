"""No shipped stack waits for anything without a message of its own, or for ever."""

import pytest

from failures.failed_operation import EXPLAINED_KINDS, kind_of
from resource_graph import Resource
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import shipped_stack

# Kinds that pulumi-kubernetes 4.32 waits for by itself (provider/pkg/await/awaiters.go).
WAITED_FOR = {
    "DaemonSet",
    "Deployment",
    "Ingress",
    "Job",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "Release",
    "ResourceQuota",
    "Service",
    "StatefulSet",
}
# The provider's own clock, which heeds no timeout.
FIXED_CLOCK = {"PersistentVolume", "PersistentVolumeClaim"}
# What others act on before it is gone; the rest goes at once.
SLOW_TO_GO = {"ComputeDomain", "DynamoGraphDeployment", "Namespace", "PersistentVolumeClaim", "StatefulSet"}


def _is_waited_for(resource: Resource) -> bool:
    annotations = resource.metadata.get("annotations")
    named = annotations if isinstance(annotations, dict) else {}
    return kind_of(resource.type) in WAITED_FOR or "pulumi.com/waitFor" in named


# Simulated nodes; a compute domain, and servers of the platform; a server without Dynamo.
@pytest.mark.parametrize("name", ["dev", "disagg-gb200-two-trays", "throughput-h200"])
def test_every_wait_of_a_shipped_stack_has_a_message_and_a_deadline_that_the_program_chose(name: str) -> None:
    objects = [each for each in recorded_stack(shipped_stack(name)) if kind_of(each.type)]
    waited = {kind_of(resource.type) for resource in objects if _is_waited_for(resource)}
    assert waited & {"DynamoGraphDeployment", "Deployment"}
    assert waited <= EXPLAINED_KINDS
    assert {kind_of(resource.type) for resource in objects} & SLOW_TO_GO <= EXPLAINED_KINDS
    for resource in objects:
        kind, limits = kind_of(resource.type), resource.custom_timeouts
        if _is_waited_for(resource) and kind not in FIXED_CLOCK:
            assert limits.create, resource.urn
            assert limits.update, resource.urn
        if kind in SLOW_TO_GO:
            assert limits.delete, resource.urn
    # A download that failed is started again by the next up.
    [job] = [resource for resource in objects if kind_of(resource.type) == "Job"]
    assert job.metadata["annotations"] == {"pulumi.com/replaceUnready": "true"}
