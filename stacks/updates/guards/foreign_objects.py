"""What another stack or another Helm release has where this stack would make its own.

A preview is green there: the provider asks the API server for a dry run, and swallows its "already exists"
(pulumi-kubernetes 4.32, provider/pkg/await). `up` then fails half way, and takes none of it over.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from components.cluster_answer import CLAIMS, DEPLOYMENTS, NAMESPACES, Kind, KubernetesObject
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_OBJECTS, OPERATOR_LABELS
from components.object_owner import Owner, owner_of
from recipes.standard_labels import label_value
from stacks.errors import Problem
from stacks.plan.cache_plan import OwnVolume
from stacks.plan.platform import OwnPlatform
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.deployed import Deployed
from stacks.updates.nested_values import mapping_in

_SECONDS = 5
_NOTHING = "nothing was created or changed"


def foreign_problems(
    stack: StackPlan, before: Deployed, resources: Mapping[str, Mapping[str, Any]], cluster: ClusterReader
) -> tuple[Problem, ...]:
    """Return what bears the names of this stack and is another's; nothing where the cluster does not say.

    Args:
        stack: everything that was decided.
        before: what the stack has.
        resources: URN -> outputs of the same, as the state has them.
        cluster: is asked for a few objects.

    """
    known = {str(mapping_in(outputs, "metadata").get("uid")) for outputs in resources.values()}

    def other_owner(found: KubernetesObject | None) -> Owner | None:
        if found is None or found["metadata"].get("uid") in known:
            return None
        owner = owner_of(found)
        return None if owner == Owner(stack=label_value(stack.name)) else owner

    asked = cluster.within(_SECONDS)
    platform = () if before.release else _platform_problems(stack, asked, other_owner, is_first=not resources)
    return (*platform, *_serving_problems(stack, asked, other_owner))


_OtherOwner = Callable[[KubernetesObject | None], Owner | None]
"""Whose an object is; None for this stack's own, and where it does not say."""


def _platform_problems(
    stack: StackPlan, cluster: ClusterReader, other_owner: _OtherOwner, *, is_first: bool
) -> Iterator[Problem]:
    platform = stack.platform
    if not isinstance(platform, OwnPlatform):
        return
    space = cluster.ask(NAMESPACES, platform.namespace).first
    owner = other_owner(space)
    # A run that was interrupted leaves an operator that the state does not know, in a namespace of its own.
    is_left = owner is None and (not is_first or (space is not None and owner_of(space) is not None))
    operators = cluster.ask(DEPLOYMENTS, labelSelector=OPERATOR_LABELS).items
    for operator in operators:
        namespace = operator["metadata"]["namespace"]
        if namespace != platform.namespace or not is_left:
            yield _platform_problem(operator, owner if namespace == platform.namespace else None)
            return
    if owner and not platform.namespace_exists:
        yield _name_problem("platform.namespace", platform.namespace, "namespace", owner)


def _platform_problem(operator: KubernetesObject, owner: Owner | None) -> Problem:
    metadata = operator["metadata"]
    namespace, whose = metadata["namespace"], owner or owner_of(operator) or "somebody else"
    version = metadata.get("labels", {}).get("helm.sh/chart", "").rpartition("-")[2] or "its version"
    return Problem(
        "platform.kind",
        "own",
        f"a Dynamo platform of {whose} runs in namespace {namespace} already, and a cluster has one; "
        f"{_NOTHING}",
        suggestion=f'platform: {{kind: existing, version: "{version}", namespace: {namespace}}}, '
        "which uses it and never changes it",
    )


def _serving_problems(
    stack: StackPlan, cluster: ClusterReader, other_owner: _OtherOwner
) -> Iterator[Problem]:
    if not stack.layers.owns("serving"):
        return
    namespace = stack.serving.namespace
    if stack.creates_namespace and (owner := other_owner(cluster.ask(NAMESPACES, namespace).first)):
        # All that is in it is theirs too.
        yield _name_problem("serving.namespace", namespace, "namespace", owner)
        return
    for key, kind, title, name in _named(stack):
        if owner := other_owner(cluster.ask(kind, name, namespace).first):
            yield _name_problem(key, name, title, owner)


def _named(stack: StackPlan) -> Iterator[tuple[str, Kind, str, str]]:
    """What this stack makes under fixed names: setting, kind, its word, name."""
    by_dynamo = stack.serving.placed.recipe.engine_server is None
    if not waited_for(stack):
        kind, title = (GRAPH_OBJECTS, "graph") if by_dynamo else (DEPLOYMENTS, "server")
        yield "serving.name", kind, title, stack.serving.graph_name
    if isinstance(stack.cache, OwnVolume):
        yield "serving.namespace", CLAIMS, "claim", stack.cache.claim_name


def _name_problem(key: str, name: str, title: str, whose: Owner) -> Problem:
    return Problem(
        key,
        name,
        f"{title} {name} exists already and belongs to {whose}; {_NOTHING}",
        suggestion=f"another {key}; what {whose} has is neither taken over nor deleted",
    )
