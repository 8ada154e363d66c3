"""What another stack has where this one would make its own, and what this one has lost in the cluster.

A preview is green where another stack's object is: the provider asks the API server for a dry run, and
swallows its "already exists" (pulumi-kubernetes 4.32, provider/pkg/await). `up` then fails half way, and
takes none of it over.
"""

from collections.abc import Iterator, Mapping

from components.cluster_answer import CLAIMS, DEPLOYMENTS, NAMESPACES, Kind, KubernetesObject
from components.cluster_reader import ClusterReader
from components.dynamo_objects import GRAPH_OBJECTS, OPERATOR_LABELS
from components.object_owner import owner_of, stack_owner
from failures.engine_process import makes_resources
from failures.health import ServingObjects
from failures.losses import ClaimAndLosses, look
from recipes.engine_files import engine_files
from recipes.standard_labels import label_value
from stacks.errors import NOTHING_DONE, Problem
from stacks.plan.cache_plan import ExistingVolume, NodeCopies, OwnVolume
from stacks.plan.platform.platform_plan import OwnPlatform
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.notices import Notice
from stacks.updates.running import Running

_SECONDS = 5


def foreign_problems(stack: StackPlan, before: Running, cluster: ClusterReader) -> tuple[Problem, ...]:
    """Return what bears the names of this stack and is another's; nothing where the cluster does not say.

    Args:
        stack: everything that was decided.
        before: what the stack has.
        cluster: is asked for a few objects.

    """
    asked = cluster.within(_SECONDS)
    platform = () if before.release else _platform_problems(stack, before, asked)
    return (*platform, *_serving_problems(stack, before, asked))


def _other_owner(stack: StackPlan, before: Running, found: KubernetesObject | None) -> str | None:
    """Whose an object is; None for this stack's own, and where it does not say."""
    if found is None or found["metadata"].get("uid") in before.uids.values():
        return None
    owner = owner_of(found)
    return None if owner == stack_owner(label_value(stack.name)) else owner


def _platform_problems(stack: StackPlan, before: Running, cluster: ClusterReader) -> Iterator[Problem]:
    platform = stack.platform
    if not isinstance(platform, OwnPlatform):
        return
    space = cluster.ask(NAMESPACES, platform.namespace).first
    owner = _other_owner(stack, before, space)
    # A run that was interrupted leaves an operator that the state does not know, in a namespace of its own.
    is_left = owner is None and (bool(before.uids) or (space is not None and owner_of(space) is not None))
    operators = cluster.ask(DEPLOYMENTS, labelSelector=OPERATOR_LABELS).items
    for operator in operators:
        namespace = operator["metadata"]["namespace"]
        if namespace != platform.namespace or not is_left:
            yield _platform_problem(operator, owner if namespace == platform.namespace else None)
            return
    if owner and not platform.namespace_exists:
        yield _name_problem("platform.namespace", platform.namespace, "namespace", owner)


def _platform_problem(operator: KubernetesObject, owner: str | None) -> Problem:
    metadata = operator["metadata"]
    namespace, whose = metadata["namespace"], owner or owner_of(operator) or "somebody else"
    version = metadata.get("labels", {}).get("helm.sh/chart", "").rpartition("-")[2] or "its version"
    return Problem(
        "platform.kind",
        "own",
        f"a Dynamo platform of {whose} runs in namespace {namespace} already, and a cluster has one; "
        f"{NOTHING_DONE}",
        suggestion=f'platform: {{kind: existing, version: "{version}", namespace: {namespace}}}, '
        "which uses it and never changes it",
    )


def _serving_problems(stack: StackPlan, before: Running, cluster: ClusterReader) -> Iterator[Problem]:
    if not stack.layers.owns("serving"):
        return
    namespace = stack.serving.namespace
    space = cluster.ask(NAMESPACES, namespace).first if stack.creates_namespace else None
    if owner := _other_owner(stack, before, space):
        # All that is in it is theirs too.
        yield _name_problem("serving.namespace", namespace, "namespace", owner)
        return
    for key, kind, title, name in _named(stack):
        if owner := _other_owner(stack, before, cluster.ask(kind, name, namespace).first):
            yield _name_problem(key, name, title, owner)


def _named(stack: StackPlan) -> Iterator[tuple[str, Kind, str, str]]:
    """What this stack makes under fixed names: setting, kind, its word, name."""
    by_dynamo = stack.serving.placed.recipe.engine_server is None
    if not waited_for(stack):
        kind, title = (GRAPH_OBJECTS, "graph") if by_dynamo else (DEPLOYMENTS, "server")
        yield "serving.name", kind, title, stack.serving.graph_name
    if isinstance(stack.cache, OwnVolume):
        yield "serving.namespace", CLAIMS, "claim", stack.serving.placed.cache_claim_name


def _name_problem(key: str, name: str, title: str, whose: str) -> Problem:
    return Problem(
        key,
        name,
        f"{title} {name} exists already and belongs to {whose}; {NOTHING_DONE}",
        suggestion=f"another {key}; what {whose} has is neither taken over nor deleted",
    )


_SECONDS_FOR_LOSSES = 10
_PAGE = "docs/runbook/cache-lost.md"


def objects_of(stack: StackPlan) -> ServingObjects:
    """Return the objects of the stack that have to work, and can be lost while every field still agrees."""
    serving, cache = stack.serving, stack.cache
    of_platform = (stack.platform.namespace,) if stack.platform else ()
    platform = of_platform if stack.layers.owns("platform") else ()
    if not stack.layers.owns("serving"):
        return ServingObjects(next(iter(of_platform), ""), namespaces=platform)
    has_graph, volume = not waited_for(stack), None if isinstance(cache, NodeCopies) else cache
    return ServingObjects(
        serving.namespace,
        graph=serving.graph_name if has_graph else "",
        by_dynamo=serving.placed.recipe.engine_server is None,
        engine_files=engine_files(serving.placed)[0] if has_graph else None,
        claim=serving.placed.cache_claim_name if volume else None,
        own_claim=not isinstance(cache, ExistingVolume),
        job=volume.job_name if volume else None,
        namespaces=tuple(dict.fromkeys((*platform, serving.namespace))),
    )


def look_for_losses(stack: StackPlan, cluster: ClusterReader) -> ClaimAndLosses | None:
    """Return what the cluster says of it; None where it does not, which takes a few seconds at most."""
    return look(cluster.within(_SECONDS_FOR_LOSSES), objects_of(stack))


def uid_of(seen: ClaimAndLosses | None) -> str | None:
    """Return the identity of the claim that is in the cluster; None where nobody can tell."""
    return seen.claim["metadata"]["uid"] if seen and seen.claim else None


def loss_notices(stack: StackPlan, before: Running, seen: ClaimAndLosses | None) -> tuple[Notice, ...]:
    """Say which parts are being deleted or empty, and where the state is outdated."""
    texts = [
        *([stale] if (stale := _stale_claim_text(stack, before, seen)) else []),
        *map(str, seen.losses if seen else ()),
    ]
    return tuple(Notice(f"lost: {text}", warns=True) for text in texts)


def lost_claim(stack: StackPlan, before: Running, seen: ClaimAndLosses | None) -> Mapping[str, str]:
    """Return the uid of the claim that the state believes in and the cluster does not have, with what to say.

    An `up` that does not refresh would call it unchanged. Only the engine knows whether this one refreshes:
    it writes down what a refresh has found together with the first change after it (pulumi/pulumi
    pkg/backend/snapshot.go, refreshSnapshotMutation), so that the state says the same in both. A stack
    that is taken down needs no claim.
    """
    stale, volume = _stale_claim_text(stack, before, seen), before.volume
    if stale is None or volume is None or not makes_resources():
        return {}
    problem = Problem(
        "modelCache",
        None,
        f"{stale}; neither the cache nor the graph was changed",
        suggestion=f"`pulumi up --refresh --stack {stack.name}` ({_PAGE})",
    )
    return {volume.uid: problem.text(stack.source)}


def _stale_claim_text(stack: StackPlan, before: Running, seen: ClaimAndLosses | None) -> str | None:
    """The claim of the state, which is not that of the cluster."""
    volume, name = before.volume, stack.serving.placed.cache_claim_name
    if seen is None or volume is None or not volume.uid:
        return None
    uid = uid_of(seen)
    if uid == volume.uid:
        return None
    gone = "is gone from the cluster, and the model's files with it"
    found = "was made again behind Pulumi's back: its volume is empty" if uid else gone
    return f"claim {name} {found}; `up --refresh` makes it again and downloads, plain `up` ends"
