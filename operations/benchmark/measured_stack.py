"""What of a stack is measured: its graph's pods, which must be there and ready."""

from dataclasses import dataclass

from components.cluster_reader import KubernetesObject
from components.dynamo_objects import GRAPH_NAME
from failures.pods_and_events import is_ready, pod_reasons
from operations.benchmark.result import Engine
from operations.cluster_commands import ClusterCommands
from operations.errors import CommandError
from operations.mock_engine import has_mock_engine
from stacks.plan.stack_plan import StackPlan

_ANSWER_SECONDS = 15
_ENDED = {"Succeeded", "Failed"}


@dataclass(frozen=True, slots=True)
class MeasuredStack:
    """What a result says of the stack."""

    name: str
    model: str
    recipe: str
    runtime: str
    gpus: int
    accelerators: tuple[str, ...]
    engine: Engine


def measured_stack(stack: StackPlan, cluster: ClusterCommands) -> MeasuredStack:
    """Return what there is to measure.

    Raises:
        CommandError: the cluster does not answer, or the graph does not serve with all of its pods.

    """
    placed = stack.serving.placed
    pods = graph_pods(stack, cluster)
    graph = f"graph {placed.graph_name} in namespace {placed.namespace}"
    if not pods:
        raise CommandError(f"{graph} has no pod: there is nothing to measure\n  try: `pulumi up` deploys it")
    # With a part of its workers it would be slower than it is.
    if any(not is_ready(pod) for pod in pods):
        lines = "\n".join(f"  {reason}" for reason in pod_reasons(pods))
        raise CommandError(f"{graph} does not serve with all of its pods\n{lines}")
    recipe = placed.recipe
    used = {each.pool.instance_type.accelerator.name for each in stack.pools if each.used_gpus}
    return MeasuredStack(
        name=stack.name,
        model=recipe.model.served_name,
        recipe=recipe.name,
        runtime=f"{recipe.runtime.image}:{recipe.runtime.version}",
        gpus=recipe.gpus,
        accelerators=tuple(sorted(used)),
        engine="mock" if has_mock_engine(pods) else "real",
    )


def graph_pods(stack: StackPlan, cluster: ClusterCommands) -> list[KubernetesObject]:
    """Return the pods of the stack's graph that have not ended."""
    placed = stack.serving.placed
    where = ("--namespace", placed.namespace, f"--request-timeout={_ANSWER_SECONDS}s")
    found = cluster.get("pods", "--selector", f"{GRAPH_NAME}={placed.graph_name}", *where) or {}
    pods: list[KubernetesObject] = found.get("items") or []
    return [pod for pod in pods if pod.get("status", {}).get("phase") not in _ENDED]
