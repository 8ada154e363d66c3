"""Whether a frontend has what it needs of the model: configuration and tokenizer."""

from collections.abc import Iterator, Mapping, Sequence

from resource_graph import ResourceGraph
from rules.model import Severity
from rules.reading.engines.models import served_name
from rules.reading.memoized import memoized
from rules.reading.model_users import ModelUser, read_model_users
from rules.reading.pods.pods import readable
from rules.reading.releases import by_line, known_lines, shown_image
from rules.reading.shapes import Undecided, grouped
from rules.rule import Advice, Said, rule
from rules.subjects import model_users

_HOSTED = "DYN_SELF_HOST_METADATA"
_OFF = frozenset({"0", "false", "no", "off"})
_HOSTED_SINCE = (1, 2)
_HOSTED_BY_DEFAULT_SINCE = (1, 4)
_READ_SINCE = (0, 6)


@rule(
    model_users("frontend"),
    severity=Severity.MANDATORY,
    reason=(
        "The frontend loads configuration and tokenizer itself, by the name under which workers offer the "
        "model. Where it finds neither the model never appears in /v1/models, while /health says healthy. "
        "Advice where it asks the hub: then it is so whenever the hub cannot be reached. From 1.4 on workers "
        "hand both out, unless DYN_SELF_HOST_METADATA is 0."
    ),
    source=(
        "ai-dynamo 1.2.1, frontend and mocker run without egress (Error adding model from discovery: Failed "
        "to fetch model); ai-dynamo/dynamo#11417 (1.4)"
    ),
    lines=("Dynamo 0.6 to 1.4",),
    fix=(
        "Mount the model claim in the frontend as in the workers, with the same HF_HOME and HF_HUB_OFFLINE "
        "1, and give workers --served-model-name with the repository's name."
    ),
)
def offline_frontend_has_the_model(graph: ResourceGraph, user: ModelUser) -> Iterator[Said]:
    """Frontend has no tokenizer of the model, or asks the hub for it."""
    workers = _workers_by_graph(graph).get(user.resource.urn, ())
    found: list[Said] = [*_missing(user, workers), *_asked_for(user, workers)]
    # Workers hand both out at their system port.
    if not found or (workers and all(map(_hosts_metadata, workers))):
        return
    if any(line < _READ_SINCE for line in known_lines(user.container, user.template.described_by)):
        raise Undecided(f"{shown_image(user.container)} is older than the releases that were read")
    yield from found


def _missing(user: ModelUser, workers: Sequence[ModelUser]) -> Iterator[str]:
    if user.is_offline and workers and user.mount_of(user.cache_directory) is None:
        places = ", ".join(str(mount) for mount in user.mounts) or "no claim"
        yield (
            f"may not ask the hub (HF_HUB_OFFLINE) and looks for models in {user.cache_directory}, but "
            f"mounts {places}: it never lists a model"
        )
    for worker in workers:
        name = None if worker.worker is None else served_name(worker.worker)
        if name is None or not isinstance(name.value, str) or not name.value.startswith("/"):
            continue
        if user.mount_of(name.value) is None:
            yield (
                f"has no claim at {name.value}, the name under which {worker.name} offers its model "
                f"({name.source}) and so the place where it looks for configuration and tokenizer"
            )


def _asked_for(user: ModelUser, workers: Sequence[ModelUser]) -> Iterator[Advice]:
    # Where no worker reads a volume either, the graph is one that asks the hub by intention.
    if user.is_offline or all(worker.model_mount() is None for worker in workers):
        return
    found = "it has neither the model's claim nor HF_HUB_OFFLINE"
    if user.mount_of(user.cache_directory) is not None:
        found = "although the model's claim is mounted there, HF_HUB_OFFLINE is not 1"
    yield Advice(f"asks the hub for configuration and tokenizer at every start: {found}")


def _hosts_metadata(user: ModelUser) -> bool:
    """Whether a worker hands both out, by default since 1.4 (ai-dynamo/dynamo#11417)."""
    switch = user.variable(_HOSTED)
    if switch is not None and switch.lower() in _OFF:
        return False
    since = _HOSTED_BY_DEFAULT_SINCE if switch is None else _HOSTED_SINCE
    return by_line(lambda line: line >= since, user.container, user.template.described_by)


@memoized
def _workers_by_graph(graph: ResourceGraph) -> Mapping[str, Sequence[ModelUser]]:
    """URN of a Dynamo graph -> its workers that can be read."""
    users = readable(read_model_users(graph))
    return grouped((user.resource.urn, user) for user in users if user.kind == "worker")
