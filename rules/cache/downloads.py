"""What brings a model onto a volume or into a directory of each node, and in which revision."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Severity, failed
from rules.reading.commands.container_commands import mentions, read_script
from rules.reading.model_users import ModelReference, ModelUser
from rules.reading.model_volumes import ModelVolume
from rules.reading.placements import selected_pools, untolerated
from rules.reading.pods.pods import PodTemplate
from rules.reading.pools import Pool
from rules.reading.shapes import Undecided, field, mappings_at, text_at
from rules.rule import rule
from rules.subjects import MODEL_VOLUMES, model_users

_ON_EACH_NODE = "DaemonSet"
_TRANSFER = "HF_HUB_ENABLE_HF_TRANSFER"
_PACKAGE = re.compile(r"huggingface[-_]hub(?:\[[\w,-]*\])?(?:==(\d+)\.\S*)?")
_OFF = frozenset({"", "0", "NO", "OFF", "FALSE"})
_COMMIT = re.compile(r"[0-9a-f]{40}")
_WRITES_MAIN = re.compile(r"refs/main")


@rule(
    MODEL_VOLUMES,
    severity=Severity.MANDATORY,
    reason=(
        "Each node has a directory of its own, and a node that replaces a lost one has an empty one: an "
        "engine that may not ask the hub ends there at start, and every time that it is started again."
    ),
    source="https://kubernetes.io/docs/concepts/storage/volumes/#hostpath; ai-dynamo 1.2.1 run offline",
    lines=EVERY_RELEASE,
    fix="Fill it by a DaemonSet that selects the same nodes and tolerates their taints, or share files.",
)
def node_cache_filled(graph: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    """A node's own directory with the model is filled on every node that reads it."""
    if volume.node_path is None:
        return
    readers = volume.of_kind("worker", "frontend")
    if not readers:
        return
    fillers = volume.of_kind("download")
    own = {user.template for user in fillers}
    if not fillers:
        raise Undecided(f"nothing that was read fills {volume.node_path} of each node")
    everywhere = [user for user in fillers if user.resource.kind == _ON_EACH_NODE]
    filled = {pool.name for user in everywhere for pool in _reached(graph, user)}
    for reader in readers:
        if reader.template in own:
            continue
        missing = [pool for pool in selected_pools(graph, reader.template) if pool.name not in filled]
        if everywhere and missing:
            names = ", ".join(user.name for user in everywhere)
            pools = ", ".join(pool.name for pool in missing)
            found = f"can land on nodes of pool {pools}, where {names} does not bring it"
        elif not everywhere and not _has_one_node(missing):
            names = ", ".join(f"{user.resource.kind} {user.name}" for user in fillers)
            found = f"is on whichever node it lands, and {names} fills the directory of one"
        else:
            continue
        yield failed(
            reader.resource, reader.name, f"reads its model from {volume.node_path} of its node, {found}"
        )


def _reached(graph: ResourceGraph, user: ModelUser) -> Sequence[Pool]:
    pools = selected_pools(graph, user.template)
    return [pool for pool in pools if pool.taints is None or not untolerated(user.template.spec, pool)]


def _has_one_node(pools: Sequence[Pool]) -> bool:
    return len(pools) == 1 and pools[0].known_nodes == 1


@rule(
    MODEL_VOLUMES,
    severity=Severity.ADVISORY,
    reason=(
        "On a new node the pod and what fills the directory start at once: the engine finds no model, ends, "
        "and is started again with longer and longer pauses, up to five minutes after the model is there."
    ),
    source="https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy",
    lines=EVERY_RELEASE,
    fix="Add an init container that waits for a file which is written last, such as .complete.",
)
def node_cache_awaited(_: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    """A pod that reads a model from its node's own directory waits until it is there."""
    if volume.node_path is None or not volume.of_kind("download"):
        return
    for user in volume.of_kind("worker", "frontend"):
        names = _volumes_at(user.template, volume.node_path)
        first = mappings_at(user.template.spec, "initContainers")
        if any(_mounts(container, names) for container in first):
            continue
        yield failed(
            user.resource,
            user.name,
            f"starts beside what fills {volume.node_path} of its node: no init container looks into it",
        )


def _volumes_at(template: PodTemplate, path: str) -> set[str | None]:
    volumes = mappings_at(template.spec, "volumes")
    return {text_at(each, "name") for each in volumes if text_at(each, "hostPath", "path") == path}


def _mounts(container: Mapping[str, Value], names: set[str | None]) -> bool:
    return any(text_at(mount, "name") in names for mount in mappings_at(container, "volumeMounts"))


@rule(
    model_users("download"),
    severity=Severity.ADVISORY,
    reason="huggingface_hub has downloaded through xet since 1.0: hf_transfer speeds up nothing any more.",
    source="huggingface/huggingface_hub 1.33 src/huggingface_hub/constants.py (hf_transfer is not used)",
    lines=("huggingface_hub 1.33",),
    fix="Drop hf_transfer and its variable; HF_XET_HIGH_PERFORMANCE=1 takes its place.",
)
def download_tool_current(graph: ResourceGraph, user: ModelUser) -> Iterator[str]:
    """A download's settings have an effect in the version that it installs."""
    if (user.variable(_TRANSFER) or "").upper() in _OFF:
        return
    for words, _ in read_script(graph, user.template, user.container).arguments_of("pip", "pip3"):
        for word in words:
            match = _PACKAGE.fullmatch(word.text)
            if match is None or (match.group(1) is not None and int(match.group(1)) < 1):
                continue
            yield f"sets {_TRANSFER}, which {word.text} does not read any more: hf_transfer is no longer used"


@rule(
    model_users("download"),
    severity=Severity.ADVISORY,
    reason=(
        "The client's buffers grow with the memory of the node: a download of many gigabytes ends as "
        "OOMKilled or evicted, halfway, and begins again."
    ),
    source="ai-dynamo/dynamo#9884",
    lines=("Dynamo 1.2",),
    fix="Request and limit 8Gi, and set HF_XET_RECONSTRUCTION_DOWNLOAD_BUFFER_LIMIT (4gb) below the limit.",
)
def download_memory_limited(_: ResourceGraph, user: ModelUser) -> Iterator[str]:
    """A download asks for the memory that it may use."""
    # Kubernetes takes a limit for the request where only the limit is given.
    if field(user.container, "resources", "limits", "memory") is not None:
        return
    found = "requests memory without a limit"
    if field(user.container, "resources", "requests", "memory") is None:
        found = "asks for no memory"
    yield f"{found}, so it is the first to go where its node has too little"


@rule(
    model_users("download", "worker"),
    severity=Severity.ADVISORY,
    reason=(
        "A repository's name means its main branch of that moment. Once it moves, workers that start later "
        "serve other weights than those that run, after a second download onto the same claim."
    ),
    source=(
        "https://huggingface.co/docs/huggingface_hub/guides/download; ai-dynamo/dynamo "
        "recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml at 04521f4"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Download with --revision and the commit's 40 digits, and give workers the directory of that "
        "snapshot (…/hub/models--<owner>--<name>/snapshots/<commit>)."
    ),
)
def model_revision_pinned(_: ResourceGraph, user: ModelUser) -> Iterator[str]:
    """A download and a worker say which revision of the model they mean."""
    for model in user.models:
        if model.is_path or model.repository is None or _COMMIT.fullmatch(model.revision or ""):
            continue
        # Offline, a worker reads what the volume calls main, and nobody moves that behind its back.
        if user.kind == "worker" and user.is_offline:
            continue
        verb = "downloads" if user.kind == "download" else "serves"
        named = "in no revision" if model.revision is None else f"in revision {model.revision}, which moves"
        found = f"{verb} {model.repository} {named}"
        yield f"{found}: when the publisher pushes, the next start takes other files"


@rule(
    MODEL_VOLUMES,
    severity=Severity.MANDATORY,
    reason=(
        "Each revision has a directory of its own in the cache: whoever names one that nobody downloads "
        "finds no files and ends at start."
    ),
    source="https://huggingface.co/docs/huggingface_hub/guides/manage-cache (snapshots, one folder a commit)",
    lines=EVERY_RELEASE,
    fix="Change the revision everywhere at once: download, every worker, the benchmark's tokenizer.",
)
def model_revision_equal(_: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    """Download, workers and benchmark mean the same revision of a model."""
    present: dict[str, dict[str, str]] = {}
    for user in volume.of_kind("download"):
        for model in user.models:
            if model.repository is not None and model.revision is not None:
                present.setdefault(model.repository, {})[model.revision] = f"{user.name} downloads"
    for user in volume.of_kind("worker", "benchmark"):
        for problem in _other_revisions(user, present):
            yield failed(user.resource, user.name, problem)


def _other_revisions(user: ModelUser, present: dict[str, dict[str, str]]) -> Iterator[str]:
    for model in user.models:
        if model.repository is None or model.revision is None:
            continue
        # Where nothing here downloads the model, the first worker says what the volume holds.
        known: Mapping[str, str] = present.setdefault(
            model.repository, {model.revision: f"{user.name} reads"}
        )
        if model.revision not in known:
            others = ", ".join(f"{whose} {revision}" for revision, whose in known.items())
            yield f"reads revision {model.revision} of {model.repository} ({model.source}), but {others}"


@rule(
    MODEL_VOLUMES,
    severity=Severity.MANDATORY,
    reason=(
        "hf download with a commit writes the snapshot and no refs/main; offline, transformers then cannot "
        "resolve the repository's name, and the worker ends at start."
    ),
    source="huggingface/huggingface_hub src/huggingface_hub/_snapshot_download.py; transformers run offline",
    lines=EVERY_RELEASE,
    fix="Give the worker the snapshot's directory, or let the download write the commit into refs/main.",
)
def offline_worker_finds_the_model(_: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    """A worker that may not ask the hub can tell which revision a repository's name means."""
    for user in volume.of_kind("worker"):
        if not user.is_offline:
            continue
        for model in user.models:
            if not model.is_path and model.repository is not None and model.revision is None:
                yield from _without_main(volume, user, model)


def _without_main(volume: ModelVolume, user: ModelUser, model: ModelReference) -> Iterator[Observation]:
    downloads = [
        (download, reference)
        for download in volume.of_kind("download")
        for reference in download.models
        if reference.repository == model.repository
    ]
    if not downloads:
        raise Undecided(
            f"{user.name} names the repository {model.repository} and may not ask the hub, so it needs "
            "refs/main in the cache, and nothing that was read fills it"
        )
    if any(
        reference.revision in {None, "main"} or mentions(download.container, _WRITES_MAIN)
        for download, reference in downloads
    ):
        return
    download, reference = downloads[0]
    yield failed(
        user.resource,
        user.name,
        f"names the repository {model.repository} and may not ask the hub (HF_HUB_OFFLINE), but "
        f"{download.name} downloads --revision {reference.revision}, which leaves no refs/main",
    )
