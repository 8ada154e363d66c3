"""One smoke test: of a stack, through a port-forward of its own, or of an address."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from components.dynamo_objects import FRONTEND
from engines.runtime_lines import LOST_TOOL_CALLS, LOST_TOOL_CALLS_ACTION, loses_tool_calls
from operations.commands import ClusterCommands, refuse_other_cluster
from operations.document import Verdict
from operations.errors import CommandError
from operations.port_forward import PortForward
from operations.project import resolved_stack
from operations.smoke.checks import CHECKS, Check, Subject, Target, run_checks
from operations.smoke.client import Frontend
from operations.smoke.first_token import kv_handover
from operations.smoke.graph_pods import GraphPods
from operations.smoke.registration import OTHER_NAME, Registration, Role, wait_until_registered
from operations.smoke.results import Judgement, Result, SmokeReport, wrong
from recipes.model import Recipe
from stacks.plan.stack_plan import ServingPlan, StackPlan, waited_for
from stacks.updates.planned_update import waiting_text

_DISAGGREGATED: tuple[Role, ...] = ("prefill", "decode")
_AGGREGATED: tuple[Role, ...] = ("worker",)

_Say = Callable[[str], None]


def smoke_stack(name: str, say: _Say, *, wait: float, timeout: float) -> SmokeReport:
    """Ask the frontend of a stack.

    Args:
        name: the stack's.
        say: takes what is still missing while it waits.
        wait: seconds until model and workers are listed.
        timeout: seconds until one answer has ended.

    Raises:
        SettingsError: the settings cannot be used, or the kubeconfig leads to another cluster.
        CommandError: there is nothing to ask: no graph, no kubectl, no answer from the cluster.

    """
    stack = resolved_stack(name)
    refuse_without_graph(stack)
    refuse_other_cluster(stack)
    cluster = ClusterCommands.of(stack.cluster, needs_helm=False)
    cluster.require_answer()
    target, serving = target_of_stack(stack, cluster), stack.serving
    with PortForward(cluster, serving.namespace, serving.graph_name) as forward:
        # A proxy of the environment does not lead to this machine's loopback.
        frontend = Frontend(forward.address, seconds=timeout, by_proxy=False)
        return ask(target, frontend, say, wait=wait)


def target_of_stack(stack: StackPlan, cluster: ClusterCommands) -> Target:
    """Return what is expected of a stack's graph in its cluster."""
    serving = stack.serving
    recipe = serving.placed.recipe
    return Target(
        name=f"stack {stack.name}",
        stack=stack.name,
        url=None,
        model=recipe.model.served_name,
        roles=_DISAGGREGATED if recipe.is_disaggregated else _AGGREGATED,
        kv=kv_handover(stack),
        no_kv="aggregated: the KV cache never leaves its worker",
        pods=GraphPods(cluster, serving.namespace, serving.graph_name, roles_of(serving)),
        lost_calls=_lost_calls(recipe),
    )


def roles_of(serving: ServingPlan) -> Mapping[str, tuple[str, ...]]:
    """Return each component of a stack's graph with what its pods do."""
    return {service.name: service.roles for service in serving.placed.services}


def target_of_address(url: str, model: str, *, is_disaggregated: bool) -> Target:
    """Return what a person expects of an address."""
    return Target(
        name=url,
        stack=None,
        url=url,
        model=model,
        roles=_DISAGGREGATED if is_disaggregated else _AGGREGATED,
        kv=None,
        no_kv="an address does not say how the KV cache travels; a stack's cluster does",
        pods=None,
        # An address does not say of which release it is.
        lost_calls=f"with Dynamo 1.2 or older {LOST_TOOL_CALLS}: {LOST_TOOL_CALLS_ACTION}",
    )


def target_without_cluster(name: str, url: str) -> Target:
    """Return what a stack expects of an address, as by Docker Compose; raises SettingsError."""
    recipe = resolved_stack(name).serving.placed.recipe
    plain = target_of_address(url, recipe.model.served_name, is_disaggregated=recipe.is_disaggregated)
    return replace(plain, stack=name, lost_calls=_lost_calls(recipe))


def _lost_calls(recipe: Recipe) -> str:
    if not loses_tool_calls(recipe.runtime.version, recipe.model.shape.name):
        return ""
    return f"Dynamo {recipe.runtime.version}: {LOST_TOOL_CALLS}: {LOST_TOOL_CALLS_ACTION}"


def ask(
    target: Target, frontend: Frontend, say: _Say, *, wait: float, checks: Sequence[Check] = CHECKS
) -> SmokeReport:
    """Wait so many seconds until the target has registered, then ask it one question after the other."""
    start = time.monotonic()
    found = wait_until_registered(frontend, target.model, target.roles, wait, say)
    waited = time.monotonic() - start
    registered = _registered(found, target, waited)
    is_mock = target.pods.is_mock() if target.pods else None
    subject = Subject(target, frontend, is_mock=bool(is_mock), is_dynamo=found.is_dynamo)
    results = (*registered, *run_checks(subject, registered, checks))
    return SmokeReport(
        target=target.name,
        stack=target.stack,
        url=target.url,
        model=target.model,
        is_mock=is_mock,
        seconds=round(time.monotonic() - start, 3),
        results=results,
    )


def _registered(found: Registration, target: Target, waited: float) -> Sequence[Result]:
    """The results of the wait, with the state of the pods of what is missing."""
    frontend, workers, model = found.frontend, found.workers, found.model
    pods = target.pods
    if pods and frontend.verdict is Verdict.WRONG:
        frontend = _with_pods(frontend, pods, (FRONTEND,))
    if pods and found.absent:
        workers = _with_pods(workers, pods, found.absent)
    elif pods and frontend.verdict is Verdict.GOOD:
        # A worker under another name leaves the model listed where one of another role has it, and no request
        # is answered.
        others = pods.other_names(target.model)
        refused = pods.refused_models() if model.verdict is Verdict.WRONG else []
        if others or refused:
            model = wrong("; ".join([model.found, *others, *refused]), OTHER_NAME if others else model.fix)
    roles = ", ".join(target.roles)
    expected = f"a worker of each role: {roles}" if len(target.roles) > 1 else "a worker"
    return [
        Result.of(name, asked, finding, None if finding.verdict is Verdict.NOT_RUN else waited)
        for name, asked, finding in (
            ("frontend", "the frontend", frontend),
            ("workers", expected, workers),
            ("model", f"model {target.model}", model),
        )
    ]


def _with_pods(finding: Judgement, pods: GraphPods, roles: Sequence[str]) -> Judgement:
    absent = pods.why_absent(roles)
    look = f"`{absent.fix}`, docs/runbook/graph-never-ready.md"
    fix = f"{finding.fix}; {look}" if finding.fix else look
    return replace(finding, found=f"{finding.found}; {absent.found}", fix=fix)


def refuse_without_graph(stack: StackPlan) -> None:
    """Raise CommandError for a stack that serves nothing, or nothing yet."""
    if not stack.layers.owns("serving"):
        own = ", ".join(stack.layers.own)
        raise CommandError(
            f"stack {stack.name} serves nothing: it has the layers {own}\n"
            "  try: the stack with the layer serving, or --url"
        )
    waiting = [waiting_text(nodes) for nodes in waited_for(stack)]
    if waiting:
        raise CommandError(f"stack {stack.name} has no graph yet: {'; '.join(waiting)}")
