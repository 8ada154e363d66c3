"""The objects that a stack creates, in their order, and those that `destroy` leaves."""

from collections.abc import Iterator, Sequence

from resource_graph import ResourceGraph
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


def creation_order(graph: ResourceGraph) -> Sequence[str]:
    """Every resource that is more than bookkeeping, as kind and name; neighbours of one kind together.

    What is made in the account is counted: a VPC alone is two dozen resources.
    """
    shown: list[str] = []
    last_kind: str | None = None
    for kind, name in _steps(graph):
        if kind == last_kind:
            shown[-1] += f", {name}"
        else:
            shown.append(f"{kind} {name}")
        last_kind = kind
    return shown


def protected(graph: ResourceGraph) -> Iterator[str]:
    """What `destroy` refuses to delete, and what lifts that."""
    held = [
        words
        for kind, words in _PROTECTED_WORDS.items()
        if any(resource.protect for resource in graph.of_type(kind))
    ]
    if held:
        yield f"{', '.join(held)}; lifted by lifecycle: disposable (runbook: {_PAGE})"


def left_by_destroy(retained: Sequence[RetainedObject]) -> Iterator[str]:
    """What `destroy` leaves, each with its reason once."""
    groups: dict[tuple[str, str | None, str], list[str]] = {}
    for kept in retained:
        groups.setdefault((kept.kind, kept.namespace, kept.reason), []).append(kept.name)
    for (kind, namespace, reason), names in groups.items():
        place = "" if namespace is None else f" in {namespace}"
        yield f"{kind} {_shortened(names)}{place}: {reason}"
    if not groups:
        yield "nothing"


def _steps(graph: ResourceGraph) -> Iterator[tuple[str, str]]:
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


def _shortened(names: Sequence[str]) -> str:
    """Names of definitions end in their group; of several it is said once."""
    groups = {name.partition(".")[2] for name in names}
    if len(names) == 1 or len(groups) > 1 or groups == {""}:
        return ", ".join(names)
    return f"of {groups.pop()} ({', '.join(name.partition('.')[0] for name in names)})"
