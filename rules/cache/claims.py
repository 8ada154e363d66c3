"""Whether the claim of a model can be had, is large enough, and is there for all that need it."""

import re
from collections.abc import Iterator, Sequence

from engines.memory import checkpoint_bytes
from engines.models import GPT_OSS_MODELS, ModelShape
from resource_graph import ResourceGraph
from rules.cache.mounts import places
from rules.reading.engines.models import served_name
from rules.reading.model_users import ModelUser, read_model_users
from rules.reading.model_volumes import ModelVolume, hub_scratch, on_one_node
from rules.reading.pods.pods import readable
from rules.reading.references import Claim, makes_ebs_volumes, read_claims
from rules.reading.releases import by_line, known_lines, shown_image
from rules.reading.shapes import Undecided, attempted, field, indexed, quantity
from rules.rule import (
    EVERY_RELEASE,
    MODEL_VOLUMES,
    Advice,
    Observation,
    Said,
    Severity,
    Subjects,
    graph_rule,
    model_users,
    rule,
)

_MANY, _MANY_READERS, _ONE_POD = "ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod"
_REVISIONS = 2
# Folders of the repositories that no engine here reads: the weights again, in two other forms.
_OTHER_FORMS = ("original/", "metal/")
_ALL_FORMS = 3
_PLACEHOLDER = re.compile(r"<.*>|(?:your|my|example|replace|changeme|todo|xxx)[-_ ]?.*", re.IGNORECASE)
# What cannot be read of a volume is said where values are judged.
_FETCHERS: Subjects[ModelUser] = Subjects(
    lambda graph: (each for each in readable(read_model_users(graph)) if each.kind in {"worker", "download"}),
    passed_over=(Undecided,),
)


@rule(
    MODEL_VOLUMES,
    severity=Severity.MANDATORY,
    reason=(
        "A volume that is ReadWriteOnce is attached to one node: on every other one pods hang in "
        "ContainerCreating. Frontend, workers and benchmark usually stand on different nodes."
    ),
    source="https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes",
    lines=EVERY_RELEASE,
    fix=(
        "Ask for ReadWriteMany with a class that has it (EFS, FSx for Lustre, NFS), or for ReadOnlyMany "
        "where all pods mount it readOnly; or let every pod that mounts it select a pool of one node."
    ),
)
def cache_shared_by_nodes(graph: ResourceGraph, volume: ModelVolume) -> Iterator[Said]:
    """Pods on several nodes mount a model claim that one node may mount."""
    if volume.node_path is not None:
        return
    # A download is done, and its volume free again, before the others start.
    users = {user.template: user for user in volume.of_kind("worker", "frontend", "benchmark")}
    pods = {user.name: user.template.replicas * user.template.pods_per_replica for user in users.values()}
    total = sum(pods.values())
    if total <= 1:
        return
    listed = " + ".join(f"{count} of {name}" for name, count in pods.items())
    if volume.claim is None:
        raise Undecided(
            f"{total} pods mount it ({listed}), and nothing that was read says how it may be mounted"
        )
    modes = volume.claim.modes
    is_only_read = all(mount.read_only for user, mount in volume.users if user.kind != "download")
    if _MANY in modes or (_MANY_READERS in modes and is_only_read):
        return
    found = ", ".join(modes) or "no access mode"
    message = f"allows {found}, but {total} pods mount it ({listed}), and nothing keeps them on one node"
    is_one_node = _ONE_POD not in modes and attempted(on_one_node, graph, users.values())
    if is_one_node is not True:
        # A cluster may have one such node.
        yield Advice(message) if isinstance(is_one_node, Undecided) else message


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "The download ends with no space left on the device, and no worker starts; a pod whose emptyDir "
        "grows above its limit is evicted, and so is the next one. Advice where a second revision has no "
        "room: it is downloaded beside the old one, which pods still read, and where nothing pins the "
        "revision that starts by itself. The repositories hold the weights three times, as "
        "safetensors, in original/ and in metal/."
    ),
    source=(
        "https://huggingface.co/openai/gpt-oss-120b (model.safetensors.index.json, total_size); "
        "ai-dynamo/dynamo recipes/gpt-oss-120b/model-cache/model-download.yaml at 371045a; "
        "https://huggingface.co/docs/huggingface_hub/guides/manage-cache; "
        "https://kubernetes.io/docs/concepts/storage/volumes/#emptydir"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Ask for at least twice what a revision takes (150Gi for gpt-oss-120b), and exclude original/* and "
        "metal/* from the download."
    ),
)
def cache_holds_the_model(graph: ResourceGraph) -> Iterator[Observation]:
    """Model claim or emptyDir is smaller than the model, or the claim than two revisions of it."""
    yield from MODEL_VOLUMES.judge(graph, _held_by_claim)
    yield from _FETCHERS.judge(graph, _above_limit)


def _above_limit(_: ResourceGraph, user: ModelUser) -> Iterator[str]:
    """Why the pod is evicted while it downloads; nothing where nobody knows the model's size."""
    scratch = hub_scratch(user)
    loads_none = any(
        flag.name == "--load-format" and flag.value is not None and flag.value.text == "dummy"
        for flag in user.flags
    )
    if scratch is None or scratch.limit is None or user.is_offline or loads_none:
        return
    repositories = [model.repository for model in user.models if model.repository and not model.is_path]
    shapes = (GPT_OSS_MODELS.get(each.rpartition("/")[2].lower()) for each in repositories)
    needed = sum(checkpoint_bytes(shape) for shape in shapes if shape is not None)
    if quantity(scratch.limit, f"sizeLimit of volume {scratch.name}") < needed:
        yield (
            f"downloads {', '.join(repositories)} into emptyDir {scratch.name} of {scratch.limit} at "
            f"{scratch.path}, but its tensors alone take {needed / 1e9:.1f} GB: the pod is evicted"
        )


def _held_by_claim(_: ResourceGraph, volume: ModelVolume) -> Iterator[str | Advice]:
    if volume.claim is None or not volume.models:
        return
    names, downloads = ", ".join(sorted(volume.models)), volume.of_kind("download")
    asked = f"asks for {volume.claim.storage} ({float(volume.claim.bytes) / 1e9:.1f} GB)"
    needed = sum(checkpoint_bytes(model) for model in volume.models.values())
    kept = sum(_kept_bytes(repository, model, downloads) for repository, model in volume.models.items())
    if volume.claim.bytes < needed:
        yield f"{asked}, but the tensors of {names} alone take {needed / 1e9:.1f} GB"
    elif volume.claim.bytes < _REVISIONS * kept:
        yield Advice(
            f"{asked}, but a revision of {names} takes {kept / 1e9:.1f} GB as it is downloaded, and a second "
            f"one beside it {_REVISIONS * kept / 1e9:.1f} GB"
        )


def _kept_bytes(repository: str, model: ModelShape, downloads: Sequence[ModelUser]) -> int:
    if repository.startswith("/"):
        # A directory has no second revision beside it.
        return 0
    own = (each for each in downloads if any(named.repository == repository for named in each.models))
    return (_ALL_FORMS if any(map(_takes_all_forms, own)) else 1) * checkpoint_bytes(model)


def _takes_all_forms(download: ModelUser) -> bool:
    if any(flag.name == "--include" for flag in download.flags):
        return False
    excluded = [
        flag.value.text for flag in download.flags if flag.name == "--exclude" and flag.value is not None
    ]
    return not all(any(text.startswith(form) for text in excluded) for form in _OTHER_FORMS)


@rule(
    Subjects(read_claims, passed_over=(Undecided,)),
    severity=Severity.MANDATORY,
    reason=(
        "A claim of a class that does not exist, or that cannot do what it asks for, stays Pending, and so "
        "do all its pods. EKS clusters from 1.30 have no default class. Only the provisioner of a class that "
        "was read is sure; the rest is advice."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#class-1; NVIDIA/aicr#107 (claims "
        "Pending on EKS); kubernetes-sigs/aws-ebs-csi-driver pkg/driver/controller.go (volume capabilities)"
    ),
    lines=EVERY_RELEASE,
    fix="Name a class that kubectl get storageclass lists; for ReadWriteMany one of shared files.",
)
def storage_class_exists(graph: ResourceGraph, claim: Claim) -> Iterator[Said]:
    """Claim names a storage class that is not there, or cannot do what it asks for."""
    # A name that only the update knows is some resource's own, so the class is there.
    name = claim.storage_class
    asked = f"asks for storage class {name}"
    if name is None and claim.volume_name is None:
        yield Advice("names no storage class, so it waits for the cluster's default one, which may not exist")
    elif not isinstance(name, str):
        return
    elif _PLACEHOLDER.fullmatch(name):
        yield Advice(f"{asked}, which stands for a name that nobody filled in")
    elif name == "dgxc-enterprise-file":
        # The class of one cluster of NVIDIA's, in recipes that everybody copies.
        yield Advice(f"{asked}, which is of the publisher's own cluster")
    elif makes_ebs_volumes(graph, name):
        yield from _shared_by_ebs(graph, claim, name)


def _shared_by_ebs(graph: ResourceGraph, claim: Claim, name: str) -> Iterator[Said]:
    shared = [mode for mode in claim.modes if mode.endswith("Many")]
    # A volume without a file system can be attached to several nodes.
    is_raw = field(claim.resource.inputs, "spec", "volumeMode") == "Block"
    if shared and not is_raw and claim.volume_name is None:
        said = f"asks for {shared[0]} from storage class {name}, whose EBS volumes have no such mode"
        # Another cluster may give the name to another class than AWS does.
        yield said if graph.kubernetes_objects_named("StorageClass", name, None) else Advice(said)


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
    workers = [each for each in _users_by_graph(graph)[user.resource.urn] if each.kind == "worker"]
    found: list[Said] = [*_missing(user, workers), *_asked_for(user, workers)]
    # Workers hand both out at their system port.
    if not found or (workers and all(map(_hosts_metadata, workers))):
        return
    if any(line < _READ_SINCE for line in known_lines(user.container, user.template)):
        raise Undecided(f"{shown_image(user.container)} is older than the releases that were read")
    yield from found


def _missing(user: ModelUser, workers: Sequence[ModelUser]) -> Iterator[str]:
    if user.is_offline and workers and user.mount_of(user.cache_directory) is None:
        yield (
            f"may not ask the hub (HF_HUB_OFFLINE) and looks for models in {user.cache_directory}, but "
            f"mounts {places(user)}: it never lists a model"
        )
    for worker in workers:
        name = None if worker.worker is None else served_name(worker.worker)
        path = name.value if name is not None and isinstance(name.value, str) else ""
        if name is not None and path.startswith("/") and user.mount_of(path) is None:
            yield (
                f"has no claim at {path}, the name under which {worker.name} offers its model "
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
    switch = user.variable("DYN_SELF_HOST_METADATA")
    if switch is not None and switch.lower() in _OFF:
        return False
    since = _HOSTED_BY_DEFAULT_SINCE if switch is None else _HOSTED_SINCE
    return by_line(lambda line: line >= since, user.container, user.template)


_users_by_graph = indexed(lambda graph: readable(read_model_users(graph)), lambda each: each.resource.urn)
"""Returns URN of a Dynamo graph -> its users of models that can be read."""
