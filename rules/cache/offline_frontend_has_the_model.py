"""A frontend that may not ask the hub finds configuration and tokenizer on a volume."""

from collections.abc import Iterator

from resource_graph import ResourceGraph
from rules.cache.graph_models import graph_workers, workers_host_metadata
from rules.model import Observation, Rule, Severity, failed
from rules.reading.engines.served_names import served_name
from rules.reading.storage.model_users import ModelUser
from rules.reading.storage.model_volumes import check_model_users


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_users(graph, {"frontend"}, lambda user: _check_user(graph, user))


def _check_user(graph: ResourceGraph, user: ModelUser) -> Iterator[Observation]:
    found = list(_missing(graph, user))
    if found and not workers_host_metadata(graph_workers(graph, user.resource)):
        yield from found


def _missing(graph: ResourceGraph, user: ModelUser) -> Iterator[Observation]:
    workers = graph_workers(graph, user.resource)
    if user.is_offline and workers and user.mount_of(user.cache_directory) is None:
        places = ", ".join(str(mount) for mount in user.mounts) or "no claim"
        yield failed(
            user.resource,
            user.name,
            f"may not ask the hub (HF_HUB_OFFLINE) and looks for models in {user.cache_directory}, but "
            f"mounts {places}: it never lists a model",
        )
    for worker in workers:
        name = None if worker.worker is None else served_name(graph, worker.worker)
        if name is None or not isinstance(name.value, str) or not name.value.startswith("/"):
            continue
        if user.mount_of(name.value) is None:
            yield failed(
                user.resource,
                user.name,
                f"has no claim at {name.value}, the name under which {worker.name} offers its model "
                f"({name.source}) and so the place where it looks for configuration and tokenizer",
            )


RULE = Rule(
    id="offline-frontend-has-the-model",
    title="A frontend that may not ask the hub finds the model's tokenizer on a volume",
    severity=Severity.MANDATORY,
    reason=(
        "The frontend loads configuration and tokenizer itself, by the name under which workers offer the "
        "model. Where it finds neither the model never appears in /v1/models, while /health says healthy. "
        "From 1.4 on workers hand both out, unless DYN_SELF_HOST_METADATA is 0."
    ),
    source=(
        "ai-dynamo 1.2.1, frontend and mocker run without egress (Failed to fetch model); "
        "ai-dynamo/dynamo#11417 (1.4)"
    ),
    lines=("Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Mount the model claim in the frontend as in the workers, with the same HF_HOME, and give workers "
        "--served-model-name with the repository's name."
    ),
    check=_check,
)
