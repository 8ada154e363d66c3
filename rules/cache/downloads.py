"""What brings a model onto a volume or into a directory of each node, and in which revision."""

import re
from collections.abc import Iterator, Mapping, Sequence

from resource_graph import ResourceGraph
from rules.reading.commands.container_commands import mentions
from rules.reading.model_users import ModelReference, ModelUser
from rules.reading.model_volumes import ModelVolume
from rules.reading.placements import selected_pools, untolerated
from rules.reading.pods.pods import read_pods, readable
from rules.reading.references import CLAIM, read_references
from rules.reading.shapes import Undecided, known, mappings_at
from rules.rule import (
    EVERY_RELEASE,
    MODEL_VOLUMES,
    Advice,
    Observation,
    Said,
    Severity,
    about,
    graph_rule,
    model_users,
    names,
    observed,
    rule,
)

_COMMIT = re.compile(r"[0-9a-f]{40}")
_WRITES_MAIN = re.compile(r"refs/main")


@rule(
    MODEL_VOLUMES,
    severity=Severity.MANDATORY,
    reason=(
        "Each node has a directory of its own, and a node that replaces a lost one has an empty one: an "
        "engine that may not ask the hub ends there at start."
    ),
    source="https://kubernetes.io/docs/concepts/storage/volumes/#hostpath; ai-dynamo 1.2.1 run offline",
    lines=EVERY_RELEASE,
    fix="Fill it by a DaemonSet that selects the same nodes and tolerates their taints; or share files.",
)
def node_cache_filled(graph: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    """Model's directory of a node is filled on other nodes."""
    readers = volume.of_kind("worker", "frontend")
    if volume.node_path is None or not readers:
        return
    fillers = volume.of_kind("download")
    if not fillers:
        raise Undecided(f"nothing that was read fills {volume.node_path} of each node")
    for reader in readers:
        yield from about(reader, _unfilled(graph, volume, reader, fillers))


def _unfilled(
    graph: ResourceGraph, volume: ModelVolume, reader: ModelUser, fillers: Sequence[ModelUser]
) -> Iterator[str]:
    """Where the reader can land and nothing brings the model."""
    if any(reader.template is user.template for user in fillers):
        return
    reads = f"reads its model from {volume.node_path} of its node"
    everywhere = [user for user in fillers if user.resource.kind == "DaemonSet"]
    filled = {
        pool.name
        for user in everywhere
        for pool in selected_pools(graph, user.template)
        if pool.taints is None or not untolerated(user.template.spec, pool)
    }
    missing = [pool for pool in selected_pools(graph, reader.template) if pool.name not in filled]
    if everywhere and missing:
        pools = names(missing)
        yield f"{reads}, can land on nodes of pool {pools}, where {names(everywhere)} does not bring it"
    if not everywhere and [pool.known_nodes for pool in missing] != [1]:
        users = ", ".join(f"{user.resource.kind} {user.name}" for user in fillers)
        yield f"{reads}, is on whichever node it lands, and {users} fills the directory of one"


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "Each revision has a directory of its own in the cache: a worker that names one that nobody "
        "downloads finds no files and ends at start, and so does one of another model. Advice where the "
        "model may have come otherwise, and where no commit is named: once the main branch moves, workers "
        "that start later serve other weights than those that run."
    ),
    source=(
        "https://huggingface.co/docs/huggingface_hub/guides/manage-cache (snapshots, one folder a commit); "
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/disagg/deploy.yaml at 04521f4"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Download with --revision and the commit's 40 digits, and give every worker, and the benchmark's "
        "tokenizer, the directory of that snapshot (…/hub/models--<owner>--<name>/snapshots/<commit>)."
    ),
)
def model_revision_equal(graph: ResourceGraph) -> Iterator[Observation]:
    """Download, workers and benchmark mean different models, or different revisions of one, or none."""
    yield from model_users("download", "worker").judge(graph, _unpinned)
    yield from MODEL_VOLUMES.judge(graph, _different_revisions)
    yield from MODEL_VOLUMES.judge(graph, _different_models)


def _unpinned(_: ResourceGraph, user: ModelUser) -> Iterator[Said]:
    for model in user.models:
        is_pinned = model.is_path or model.repository is None or _COMMIT.fullmatch(model.revision or "")
        # Offline, a worker reads what the volume calls main, and nobody moves that behind its back.
        if not is_pinned and not (user.kind == "worker" and user.is_offline):
            verb = "downloads" if user.kind == "download" else "serves"
            named = f"in revision {model.revision}, which moves" if model.revision else "in no revision"
            found = f"{verb} {model.repository} {named}"
            yield Advice(f"{found}: when the publisher pushes, the next start takes other files")


def _different_revisions(_: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    present: dict[str, dict[str, str]] = {}
    for user in volume.of_kind("download"):
        for model in user.models:
            if model.repository is not None and model.revision is not None:
                present.setdefault(model.repository, {})[model.revision] = f"{user.name} downloads"
    for user in volume.of_kind("worker", "benchmark"):
        yield from about(user, _other_revisions(user, present))


def _other_revisions(user: ModelUser, present: dict[str, dict[str, str]]) -> Iterator[str]:
    for model in user.models:
        if model.repository is None or model.revision is None:
            continue
        # Where nothing here downloads the model, the first worker says what the volume holds.
        held: Mapping[str, str] = present.setdefault(model.repository, {model.revision: f"{user.name} reads"})
        if model.revision not in held:
            others = ", ".join(f"{whose} {revision}" for revision, whose in held.items())
            yield f"reads revision {model.revision} of {model.repository} ({model.source}), but {others}"


def _different_models(graph: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    """Workers that ask no hub, for a model that nothing brings onto the volume."""
    downloads = volume.of_kind("download")
    named = {f"{each.name} downloads {model.text}": model for each in downloads for model in each.models}
    if not named or any(model.repository is None for model in named.values()):
        return
    scripts = "".join(str(each.container) for each in downloads)
    brought = {model.repository for model in named.values()}
    # Onto a claim of somebody else's the model may have come before, or by another pod.
    is_advice = volume.claim is None or _has_other_users(graph, volume)
    for user in volume.of_kind("worker"):
        for model in user.models:
            repository = model.repository
            if repository is None or repository in brought or not (model.is_path or user.is_offline):
                continue
            # A script may bring more than its commands say.
            if repository.rpartition("/")[2] not in scripts:
                message = (
                    f"serves {repository} ({model.source}) from {volume.name}, but {', '.join(named)} alone"
                )
                yield observed(user.resource, user.name, Advice(message) if is_advice else message)


def _has_other_users(graph: ResourceGraph, volume: ModelVolume) -> bool:
    """Whether pods or init containers that nobody follows mount the claim, and may bring a model."""
    users = {user.template for user, _ in volume.users}
    if any(mappings_at(template.spec, "initContainers") for template in users):
        return True
    return any(
        reference.kind == CLAIM and reference.name == volume.name
        for template in readable(read_pods(graph))
        if template not in users
        for reference in known(read_references, template) or ()
    )


@rule(
    MODEL_VOLUMES,
    severity=Severity.MANDATORY,
    reason=(
        "hf download with a commit writes the snapshot and no refs/main; offline, transformers then cannot "
        "resolve the repository's name, and the worker ends at start. A download that is offline brings "
        "nothing and fails."
    ),
    source="huggingface/huggingface_hub src/huggingface_hub/_snapshot_download.py; transformers run offline",
    lines=EVERY_RELEASE,
    fix=(
        "Give the worker the snapshot's directory, or let the download write the commit into refs/main; take "
        "HF_HUB_OFFLINE from the download."
    ),
)
def offline_worker_finds_the_model(_: ResourceGraph, volume: ModelVolume) -> Iterator[Observation]:
    """Offline worker cannot tell a model's revision, or a download is offline itself."""
    for user in volume.of_kind("download"):
        if user.is_offline and user.models:
            said = f"is to download {user.models[0].text}, and may not ask the hub (HF_HUB_OFFLINE)"
            yield from about(user, [said])
    for user in volume.of_kind("worker"):
        for model in user.models if user.is_offline else ():
            if not model.is_path and model.repository is not None and model.revision is None:
                yield from about(user, _without_main(volume, user, model))


def _without_main(volume: ModelVolume, user: ModelUser, model: ModelReference) -> Iterator[str]:
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
    if not any(
        reference.revision in {None, "main"} or mentions(download.container, _WRITES_MAIN)
        for download, reference in downloads
    ):
        yield (
            f"names the repository {model.repository} and may not ask the hub (HF_HUB_OFFLINE), but "
            f"{downloads[0][0].name} downloads --revision {downloads[0][1].revision}, which leaves no "
            "refs/main"
        )
