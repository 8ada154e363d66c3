"""What of a stack is measured: its graph's pods, which must be there and ready."""

from components.cluster_answer import PODS, KubernetesObject, Objects
from components.dynamo_objects import GRAPH_NAME
from failures.pods_and_events import has_ended, is_ready, pod_reasons
from operations.benchmark.result import Engine
from operations.cluster_commands import ClusterCommands
from operations.errors import CommandError
from operations.mock_engine import has_mock_engine
from stacks.plan.stack_plan import StackPlan


def serving_engine(stack: StackPlan, cluster: ClusterCommands) -> Engine:
    """Return what answers in the stack's graph.

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
    return "mock" if has_mock_engine(pods) else "real"


def graph_pods(stack: StackPlan, cluster: ClusterCommands) -> list[KubernetesObject]:
    """Return the pods of the stack's graph that have not ended."""
    placed = stack.serving.placed
    own = Objects(PODS, namespace=placed.namespace, labels=f"{GRAPH_NAME}={placed.graph_name}")
    return [pod for pod in cluster.found(own) if not has_ended(pod)]
