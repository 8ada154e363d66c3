"""Makes the recording of one stack: what it registers, and what it does to what the other side has."""

import datetime as dt
from collections.abc import Iterator, Mapping

from comparison.recording import (
    RecordedFinding,
    RecordedNotice,
    RecordedPool,
    RecordedUpdate,
    StackRecording,
)
from comparison.secret_marks import marked, marked_settings, without_secrets
from components.dynamo_objects import FRONTEND_PORT, frontend_service
from resource_graph import ResourceGraph, Value
from rules.catalogue import rules_on, run_rules
from rules.model import Finding, Waiver
from rules.rule import Rule
from stacks.plan.stack_plan import StackPlan
from stacks.settings.cluster import CapacityBlock
from stacks.updates.beside_what_runs import beside_what_runs
from stacks.updates.guards.fixed_at_creation import fixed_values
from stacks.updates.guards.refused_changes import refused_changes
from stacks.updates.planned_update import FIRST, Update, planned_update
from stacks.updates.running import running_after


def record_stack(
    stack: StackPlan,
    graph: ResourceGraph,
    judged: ResourceGraph,
    *,
    secrets: Mapping[str, str],
    update: RecordedUpdate | None,
    today: dt.date,
    settings: Mapping[str, Value],
) -> StackRecording:
    """Return the recording, without any secret.

    Args:
        stack: every decision.
        graph: what the program registers.
        judged: what the rules look at: the same, or the stack as it is once every window has opened.
        secrets: secret of the stack file -> fingerprint of its encrypted text.
        update: what it does to what runs.
        today: decides which waivers hold.
        settings: as its file has them.

    """
    serving = stack.serving
    return StackRecording(
        name=stack.name,
        resources=tuple(map(marked, graph)),
        opened=() if judged is graph else tuple(map(marked, judged)),
        secrets=secrets,
        settings=marked_settings(settings),
        address=f"{frontend_service(serving.graph_name)}.{serving.namespace}:{FRONTEND_PORT}",
        fixed=fixed_values(stack),
        pools=tuple(_pools(stack)),
        findings=tuple(_findings(judged, today)),
        waivers=tuple(
            Waiver(each.rule, without_secrets(each.reason), dt.date.fromisoformat(each.expires))
            for each in stack.settings.waivers
        ),
        update=update,
    )


def update_over(stack: StackPlan, running: StackRecording) -> tuple[StackPlan, Update, RecordedUpdate]:
    """Return what `pulumi up` of the stack does where everything of the recording runs.

    The program asks the cluster, too: who has scaled a service by hand, whether a volume is lost, how many
    GPUs others use. A comparison asks nobody, so nothing of that is in it.

    Returns:
        The stack with the rollouts that there is room for beside what runs; what decides how the program
        registers its resources; and what is recorded of that.

    """
    before = running_after(running.resources, running.fixed)
    problems = refused_changes(stack, before)
    if problems:
        # The program ends there, and tells nothing else.
        refused = tuple(without_secrets(each.text(stack.source)) for each in problems)
        return stack, FIRST, RecordedUpdate(refused=refused)
    beside, wanted = beside_what_runs(stack, before)
    update = planned_update(beside, wanted, before)
    recorded = RecordedUpdate(
        notices=tuple(RecordedNotice(without_secrets(each.text), each.warns) for each in update.notices),
        restarts_workers=update.restarts_workers,
        interruption=update.interruption,
    )
    return beside, update, recorded


def _pools(stack: StackPlan) -> Iterator[RecordedPool]:
    for placed, purchase, price in stack.priced_pools():
        pool = placed.pool
        yield RecordedPool(
            name=pool.name,
            machine=pool.instance_type.name,
            accelerator=pool.instance_type.accelerator.name,
            nodes=pool.nodes,
            gpus=pool.gpus,
            used_gpus=placed.used_gpus,
            usd_per_gpu_hour=price.usd_per_gpu_hour if price else None,
            price_source=price.source.text if price else None,
            price_date=price.source.date if price else None,
            block=purchase.id if isinstance(purchase, CapacityBlock) else None,
        )


def _findings(graph: ResourceGraph, today: dt.date) -> Iterator[RecordedFinding]:
    report = run_rules(graph, rules_on(today), today=today)
    yield from map(_finding, report.findings)
    yield from (_broken(rule, error) for rule, error in report.broken.items())


def _finding(finding: Finding) -> RecordedFinding:
    seen, rule = finding.observation, finding.rule
    return RecordedFinding(
        rule=rule.id,
        severity=finding.severity.value,
        status=finding.status,
        resource=seen.resource.name,
        subject=without_secrets(seen.subject),
        message=without_secrets(seen.message),
        fix=rule.fix,
    )


def _broken(rule: Rule, error: Exception) -> RecordedFinding:
    """Return a defective rule as a reason not to deploy: nobody knows what it would have found."""
    return RecordedFinding(
        rule=rule.id,
        severity="mandatory",
        status="failed",
        resource="",
        subject="the rule itself",
        message=without_secrets(f"is defective and judged nothing: {error!r}"),
        fix="Mend the rule; `dynamo-stack check` shows the same.",
    )
