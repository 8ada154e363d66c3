"""Prefill and decode workers offer their model under one name."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.served_names import served_name
from rules.reading.kv_transport.disaggregation import Disaggregated, check_disaggregated


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_disaggregated(graph, _check_group)


def _check_group(group: Disaggregated) -> Iterator[Observation]:
    names = {worker.name: served_name(worker) for worker in group.workers}
    known = {name: setting for name, setting in names.items() if setting is not None}
    if len({str(setting.value) for setting in known.values()}) > 1:
        shown = ", ".join(f"{name} {found.value} ({found.source})" for name, found in known.items())
        yield failed(group.resource, group.subject, f"their models have different names: {shown}")


RULE = Rule(
    id="served-name-equal",
    title="Prefill and decode offer their model under one name",
    severity=Severity.MANDATORY,
    reason=(
        "The frontend brings prefill and decode together by the model's name. With two names prefill is "
        "never called: its GPUs idle while decode computes the prompts, and one name is not served at all."
    ),
    source="ai-dynamo/dynamo lib/llm/src/discovery/model_manager.rs (activate_prefill_router)",
    lines=("Dynamo 1.2",),
    fix="Give --served-model-name the same value on every worker of the graph.",
    check=_check,
)
