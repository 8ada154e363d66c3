"""In which order a stack's resources are made, and what `destroy` refuses to delete or leaves."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from explain.explanation.section import shortened
from resource_graph import ResourceGraph
from rules.reading.shapes import grouped
from stacks.plan.stack_plan import RetainedObject

_PROTECTED_WORDS = {
    "aws:ec2/vpc:Vpc": "network",
    "aws:eks/cluster:Cluster": "cluster",
    "aws:kms/key:Key": "key",
    "aws:fsx/lustreFileSystem:LustreFileSystem": "FSx",
    "aws:efs/fileSystem:FileSystem": "EFS",
    "kubernetes:core/v1:PersistentVolumeClaim": "claim",
    "kubernetes:core/v1:Namespace": "namespaces",
}
_PAGE = "destroy-a-cluster"


def creation_order(graph: ResourceGraph) -> str:
    """Return what is made in its order, as one line; neighbours of one kind are one step."""
    groups = groupby(_steps(graph), key=lambda resource: resource[0])
    return " > ".join(f"{kind} {', '.join(name for _, name in found)}" for kind, found in groups)


def protection(graph: ResourceGraph) -> Iterator[str]:
    """Yield what `destroy` refuses to delete, and what lifts that."""
    held = [
        words
        for kind, words in _PROTECTED_WORDS.items()
        if any(resource.protect for resource in graph.of_type(kind))
    ]
    if held:
        yield f"{', '.join(held)}; lifted by lifecycle: disposable (runbook: {_PAGE})"


def left_by_destroy(retained: Sequence[RetainedObject]) -> Iterator[str]:
    """Yield what `destroy` leaves, each with its reason once."""
    groups = grouped(((kept.kind, kept.namespace, kept.reason), kept.name) for kept in retained)
    for (kind, namespace, reason), names in groups.items():
        place = "" if namespace is None else f" in {namespace}"
        yield f"{kind} {shortened(names)}{place}: {reason}"
    if not groups:
        yield "nothing"


def _steps(graph: ResourceGraph) -> Iterator[tuple[str, str]]:
    """Yield kind and name of every resource that is more than bookkeeping, in the order of creation."""
    # Resources in the account are only counted: a VPC alone is two dozen.
    resources = [
        each for each in graph.in_creation_order() if each.custom and not each.type.startswith("pulumi:")
    ]
    in_account = sum(each.type.startswith("aws:") for each in resources)
    if in_account:
        yield "account", f"({in_account} resources)"
    for resource in resources:
        # A volume stands in the order with the claim that it is made for.
        if resource.type.startswith("aws:") or resource.kind == "PersistentVolume":
            continue
        name = resource.object_name if resource.kind else resource.inputs.get("name")
        kind = resource.kind or resource.type.rpartition(":")[2]
        yield kind, name if isinstance(name, str) else resource.name
