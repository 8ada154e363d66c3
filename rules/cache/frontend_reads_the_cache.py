"""A frontend needs no internet to list the model."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.cache.graph_models import graph_workers, workers_host_metadata
from rules.model import Observation, Rule, Severity, failed
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import check_model_users


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_users(graph, {"frontend"}, lambda user: _check_user(graph, user))


def _check_user(graph: ResourceGraph, user: ModelUser) -> Iterator[Observation]:
    workers = graph_workers(graph, user.resource)
    # Where no worker reads a volume either, the graph is one that asks the hub by intention.
    if user.is_offline or all(worker.model_mount is None for worker in workers):
        return
    if workers_host_metadata(workers):
        return
    if user.mount_of(user.cache_directory) is None:
        found = "it has neither the model's claim nor HF_HUB_OFFLINE"
    else:
        found = "although the model's claim is mounted there, HF_HUB_OFFLINE is not 1"
    yield failed(
        user.resource,
        user.name,
        f"asks the hub for configuration and tokenizer at every start: {found}",
    )


RULE = Rule(
    id="frontend-reads-the-cache",
    title="A frontend needs no internet to list the model",
    severity=Severity.ADVISORY,
    reason=(
        "Unless told to be offline the frontend asks the hub even for what it has; without egress, or when "
        "the hub is down, the model never appears in /v1/models, while /health says healthy. From 1.4 on "
        "workers hand out what it needs, unless DYN_SELF_HOST_METADATA is 0."
    ),
    source=(
        "ai-dynamo 1.2.1 run without egress (Error adding model from discovery: Failed to fetch model); "
        "ai-dynamo/dynamo#11417 (1.4)"
    ),
    lines=("Dynamo 1.2", "Dynamo 1.4"),
    fix="Mount the model claim in the frontend too, and set HF_HOME to it and HF_HUB_OFFLINE to 1.",
    check=_check,
)
