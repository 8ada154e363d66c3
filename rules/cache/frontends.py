"""Whether a frontend has what it needs of the model: configuration, tokenizer, vocabulary."""

from collections.abc import Iterator, Mapping, Sequence

from resource_graph import Resource, ResourceGraph
from rules.model import Severity
from rules.reading.engines.models import served_name
from rules.reading.memoized import memoized
from rules.reading.model_users import ModelUser, read_model_users
from rules.reading.pods.pods import readable
from rules.reading.releases import by_line
from rules.reading.shapes import grouped
from rules.rule import rule
from rules.subjects import model_users

_FRONTENDS = model_users("frontend")
_HOSTED = "DYN_SELF_HOST_METADATA"
_OFF = frozenset({"0", "false", "no", "off"})
_HOSTED_SINCE = (1, 2)
_HOSTED_BY_DEFAULT_SINCE = (1, 4)
_PARSERS = {"--dyn-tool-call-parser": "harmony", "--dyn-reasoning-parser": "gpt_oss"}
_VOCABULARY = "TIKTOKEN_ENCODINGS_BASE"
_VOCABULARY_ADDRESS = "openaipublic.blob.core.windows.net"


@rule(
    _FRONTENDS,
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
)
def offline_frontend_has_the_model(graph: ResourceGraph, user: ModelUser) -> Iterator[str]:
    """A frontend that may not ask the hub finds the model's tokenizer on a volume."""
    found = list(_missing(graph, user))
    if found and not _workers_host_metadata(_graph_workers(graph, user.resource)):
        yield from found


def _missing(graph: ResourceGraph, user: ModelUser) -> Iterator[str]:
    workers = _graph_workers(graph, user.resource)
    if user.is_offline and workers and user.mount_of(user.cache_directory) is None:
        places = ", ".join(str(mount) for mount in user.mounts) or "no claim"
        yield (
            f"may not ask the hub (HF_HUB_OFFLINE) and looks for models in {user.cache_directory}, but "
            f"mounts {places}: it never lists a model"
        )
    for worker in workers:
        name = None if worker.worker is None else served_name(graph, worker.worker)
        if name is None or not isinstance(name.value, str) or not name.value.startswith("/"):
            continue
        if user.mount_of(name.value) is None:
            yield (
                f"has no claim at {name.value}, the name under which {worker.name} offers its model "
                f"({name.source}) and so the place where it looks for configuration and tokenizer"
            )


@rule(
    _FRONTENDS,
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
)
def frontend_reads_the_cache(graph: ResourceGraph, user: ModelUser) -> Iterator[str]:
    """A frontend needs no internet to list the model."""
    workers = _graph_workers(graph, user.resource)
    # Where no worker reads a volume either, the graph is one that asks the hub by intention.
    if user.is_offline or all(worker.model_mount() is None for worker in workers):
        return
    if _workers_host_metadata(workers):
        return
    if user.mount_of(user.cache_directory) is None:
        found = "it has neither the model's claim nor HF_HUB_OFFLINE"
    else:
        found = "although the model's claim is mounted there, HF_HUB_OFFLINE is not 1"
    yield f"asks the hub for configuration and tokenizer at every start: {found}"


@rule(
    _FRONTENDS,
    severity=Severity.ADVISORY,
    reason=(
        "The harmony parsers fetch o200k_base.tiktoken on first use. Without egress they fail in silence: "
        "answers come unsplit, without tool calls."
    ),
    source="ai-dynamo/dynamo#15155",
    lines=("Dynamo 1.2",),
    fix=f"Put o200k_base.tiktoken on the model claim and set {_VOCABULARY} to its directory on the frontend.",
)
def harmony_vocabulary(graph: ResourceGraph, user: ModelUser) -> Iterator[str]:
    """Where harmony is parsed, the vocabulary that it needs is on a volume."""
    if not any(_parses_harmony(worker) for worker in _graph_workers(graph, user.resource)):
        return
    directory = user.variable(_VOCABULARY)
    if not directory:
        yield (
            f"fetches o200k_base.tiktoken from {_VOCABULARY_ADDRESS} when the first answer is parsed: "
            f"{_VOCABULARY} is not set"
        )
    elif user.mount_of(directory) is None:
        yield f"looks for o200k_base.tiktoken in {directory} ({_VOCABULARY}), where no claim is mounted"


def _parses_harmony(worker: ModelUser) -> bool:
    return any(flag.value is not None and _PARSERS.get(flag.name) == flag.value.text for flag in worker.flags)


def _workers_host_metadata(workers: Sequence[ModelUser]) -> bool:
    """Whether the frontend gets configuration and tokenizer from the workers.

    They serve both at their system port, by default since 1.4 (ai-dynamo/dynamo#11417).
    """
    return bool(workers) and all(_hosts_metadata(worker) for worker in workers)


def _hosts_metadata(user: ModelUser) -> bool:
    switch = user.variable(_HOSTED)
    if switch is not None and switch.lower() in _OFF:
        return False
    since = _HOSTED_BY_DEFAULT_SINCE if switch is None else _HOSTED_SINCE
    return by_line(lambda line: line >= since, user.container, user.template.described_by)


def _graph_workers(graph: ResourceGraph, resource: Resource) -> Sequence[ModelUser]:
    """All workers of the Dynamo graph that can be read."""
    return _workers_by_graph(graph).get(resource.urn, ())


@memoized
def _workers_by_graph(graph: ResourceGraph) -> Mapping[str, Sequence[ModelUser]]:
    users = readable(read_model_users(graph))
    return grouped((user.resource.urn, user) for user in users if user.kind == "worker")
