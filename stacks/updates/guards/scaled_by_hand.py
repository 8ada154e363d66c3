"""A graph that somebody has scaled past Pulumi: preview and `up` end alike, before anything is changed.

Left to the provider, the two differ (docs/adr/0009-drift-and-field-conflicts.md): a preview stops at fields
of kubectl that the update takes, or is green where the update stops at those of anybody else.
"""

from collections.abc import Mapping
from typing import Any

from components.cluster_reader import ClusterReader
from failures.conflict import FORCE_VARIABLE
from stacks.errors import Problem
from stacks.plan.infrastructure.cluster import ClusterPlan
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.updates.by_hand import HandSet, hand_set
from stacks.updates.deployed import Deployed
from stacks.updates.graph import graph_of
from stacks.updates.replacement import replacement

_GUIDE = "docs/runbook/drift.md"
_PROVIDER = "::pulumi:providers:kubernetes::cluster"
# As the provider reads it: strconv.ParseBool.
_TRUE = frozenset({"1", "t", "T", "true", "True", "TRUE"})


def cluster_of_state(
    cluster: ClusterPlan, file: str | None, resources: Mapping[str, Mapping[str, Any]]
) -> ClusterReader:
    """Return what reads the cluster before anything is registered.

    Args:
        cluster: of the settings.
        file: the kubeconfig that the settings name.
        resources: URN -> outputs, as the state has them: an EKS cluster's kubeconfig is its provider's.

    """
    if not cluster.region:
        return ClusterReader(cluster.context, file)
    found = (outputs.get("kubeconfig") for urn, outputs in resources.items() if urn.endswith(_PROVIDER))
    content = next((each for each in found if isinstance(each, str)), "")
    return ClusterReader(cluster.context, content=content)


def set_by_others(stack: StackPlan, before: Deployed, cluster: ClusterReader) -> tuple[HandSet, ...]:
    """Return whose replicas are not Pulumi's; none where there is no graph, or the cluster cannot be read.

    Args:
        stack: with the wanted graph.
        before: what the state has; another graph is replaced, and nobody scales it back.
        cluster: where to look.

    """
    if not stack.layers.owns("serving") or waited_for(stack):
        return ()
    wanted = graph_of(stack)
    running = before.graph_before(wanted)
    if running is None or not running.has_place_of(wanted) or replacement(stack, running, wanted):
        return ()
    kind = f"dynamographdeployments.{wanted.api}.nvidia.com"
    live = cluster.get(kind, wanted.name, "--namespace", wanted.namespace, "--show-managed-fields")
    return hand_set(live, wanted) if live else ()


def scaled_problems(
    stack: StackPlan, others: tuple[HandSet, ...], environment: Mapping[str, str]
) -> tuple[Problem, ...]:
    """Return the numbers that are not the stack's, unless the person forces the stack's."""
    if _is_forced(environment):
        return ()
    roles = {service.name: service.role for service in stack.serving.placed.services}
    return tuple(_problem(stack, each, roles[each.service]) for each in others if each.found != each.wanted)


def _problem(stack: StackPlan, scaled: HandSet, role: str) -> Problem:
    force = f"`{FORCE_VARIABLE}=true pulumi up --refresh --stack {stack.name}` puts {scaled.wanted} back"
    # The settings have no 0.
    keep = f"serving.replicas.{role}: {scaled.found} keeps what runs; " if scaled.found else ""
    return Problem(
        f"serving.replicas.{role}",
        None,
        f"{scaled.words}. It may be meant, so preview and `up` end here, and nothing was created or changed",
        suggestion=f"{keep}{force} ({_GUIDE})",
    )


def _is_forced(environment: Mapping[str, str]) -> bool:
    return environment.get(FORCE_VARIABLE, "") in _TRUE
