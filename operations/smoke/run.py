"""One smoke test: of a stack, through a port-forward of its own, or of an address."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from components.dynamo_objects import FRONTEND
from operations.commands import ClusterCommands
from operations.document import Verdict
from operations.errors import CommandError
from operations.port_forward import PortForward
from operations.project import resolved_stack
from operations.smoke.checks import CHECKS, Check, Subject, run_checks
from operations.smoke.client import Frontend
from operations.smoke.graph_pods import GraphPods
from operations.smoke.registration import OTHER_NAME, Registration, Role, Target, wait_until_registered
from operations.smoke.results import Judgement, Result, SmokeReport, wrong
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.planned_update import waiting_text

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
        CommandError: there is nothing to ask (no graph, no kubectl, no answer from the cluster), or this
            account may not ask.

    """
    stack = resolved_stack(name)
    cluster = serving_cluster(stack, ", or --url")
    cluster.require_answer()
    target, serving = target_of_stack(stack, cluster), stack.serving
    with PortForward(cluster, serving.namespace, serving.graph_name) as forward:
        # A proxy of the environment does not lead to this machine's loopback.
        frontend = Frontend(forward.address, seconds=timeout, by_proxy=False)
        report = ask(target, frontend, say, wait=wait)
    if report.refusal and not report.is_wrong:
        raise not_allowed(report, cluster, serving.namespace)
    return report


def not_allowed(
    report: SmokeReport, cluster: ClusterCommands, namespace: str, notes: Sequence[str] = ()
) -> CommandError:
    """Return that nobody could ask, with what is known without, and the rights that a port-forward takes."""
    # `pods/portforward` would ask of a pod of that name.
    right = ("create", "pods", "--subresource=portforward")
    look = cluster.command("auth", "can-i", *right, "--namespace", namespace)
    seen = "".join(f"  note: {each}\n" for each in notes)
    return CommandError(
        f"{report.target} could not be asked: {report.refusal}\n{seen}"
        f"  needed in namespace {namespace}: get services, get and list pods, create pods/portforward\n"
        f"  try: `{look}`"
    )


def target_of_stack(stack: StackPlan, cluster: ClusterCommands) -> Target:
    """Return what is expected of a stack's graph in its cluster."""
    placed = stack.serving.placed
    roles = {service.name: service.roles for service in placed.services}
    answers = "worker" if placed.recipe.engine_server else FRONTEND
    return Target(
        name=f"stack {stack.name}",
        stack=stack.name,
        url=None,
        model=placed.recipe.model.served_name,
        roles=roles_of_workers(is_disaggregated=placed.recipe.is_disaggregated),
        placed=placed,
        pods=GraphPods(cluster, placed.namespace, placed.graph_name, roles, answers),
    )


def target_of_address(url: str, model: str, *, is_disaggregated: bool) -> Target:
    """Return what a person expects of an address."""
    return Target(url, None, url, model, roles_of_workers(is_disaggregated=is_disaggregated))


def target_without_cluster(name: str, url: str) -> Target:
    """Return what a stack expects of an address, as by Docker Compose; raises SettingsError."""
    placed = resolved_stack(name).serving.placed
    model, is_disaggregated = placed.recipe.model.served_name, placed.recipe.is_disaggregated
    plain = target_of_address(url, model, is_disaggregated=is_disaggregated)
    return replace(plain, stack=name, placed=placed)


def roles_of_workers(*, is_disaggregated: bool) -> tuple[Role, ...]:
    """Return the roles of which a worker has to register."""
    return ("prefill", "decode") if is_disaggregated else ("worker",)


def ask(
    target: Target, frontend: Frontend, say: _Say, *, wait: float, checks: Sequence[Check] = CHECKS
) -> SmokeReport:
    """Wait so many seconds until the target has registered, then ask it one question after the other."""
    start = time.monotonic()
    found = wait_until_registered(frontend, target, wait, say)
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
        frontend = _with_pods(frontend, pods, (pods.answers,))
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


def serving_cluster(stack: StackPlan, instead: str = "") -> ClusterCommands:
    """Return the cluster in which the stack's graph is; `instead`: what else a person may type.

    Raises:
        SettingsError: the kubeconfig leads to another cluster, or to none.
        CommandError: the stack serves nothing, or nothing yet, or there is no kubectl.

    """
    if not stack.layers.owns("serving"):
        own = ", ".join(stack.layers.own)
        raise CommandError(
            f"stack {stack.name} serves nothing: it has the layers {own}\n"
            f"  try: the stack with the layer serving{instead}"
        )
    waiting = [waiting_text(nodes) for nodes in waited_for(stack)]
    if waiting:
        raise CommandError(f"stack {stack.name} has no graph yet: {'; '.join(waiting)}")
    return ClusterCommands.of_stack(stack, needs_helm=False)
