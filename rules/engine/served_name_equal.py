"""Prefill and decode workers offer their model under one name."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.models import read_model_limits
from rules.reading.engines.served_names import served_name
from rules.reading.kv_transport.disaggregation import Disaggregated, check_disaggregated


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_disaggregated(graph, lambda group: _check_group(graph, group))


def _check_group(graph: ResourceGraph, group: Disaggregated) -> Iterator[Observation]:
    names = {worker.name: served_name(graph, worker) for worker in group.workers}
    known = {name: setting for name, setting in names.items() if setting is not None}
    if len({str(setting.value) for setting in known.values()}) > 1:
        shown = ", ".join(f"{name} {found.value} ({found.source})" for name, found in known.items())
        yield failed(group.resource, group.subject, f"their models have different names: {shown}")
    models = {worker.name: read_model_limits(graph, worker) for worker in group.workers}
    loaded = {name: model.name for name, model in models.items() if model is not None}
    if len(set(loaded.values())) > 1:
        shown = ", ".join(f"{name} {model}" for name, model in loaded.items())
        yield failed(group.resource, group.subject, f"they load different models: {shown}")


RULE = Rule(
    id="served-name-equal",
    title="Prefill and decode load one model and offer it under one name",
    severity=Severity.MANDATORY,
    reason=(
        "The frontend brings prefill and decode together by the model's name. With two names prefill is "
        "never called: its GPUs idle while decode computes the prompts, and one name is not served at all. "
        "Of another model the cache has another shape."
    ),
    source="ai-dynamo/dynamo lib/llm/src/discovery/model_manager.rs (activate_prefill_router)",
    lines=("Dynamo 1.2",),
    fix="Give --model and --served-model-name the same value on every worker of the graph.",
    check=_check,
)
