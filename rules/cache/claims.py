"""Whether the claim of a model can be had, is large enough, and can be mounted by all that need it."""

import re
from collections.abc import Iterator, Sequence

from engines.memory import checkpoint_bytes
from engines.models import ModelShape
from resource_graph import Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Severity, failed
from rules.reading.claims import Claim, makes_ebs_volumes, read_claims
from rules.reading.model_users import ModelUser
from rules.reading.model_volumes import ModelVolume, on_one_node
from rules.reading.shapes import Undecided, field, known
from rules.rule import Advice, Said, graph_rule, rule
from rules.subjects import MODEL_VOLUMES

_MANY, _MANY_READERS, _ONE_POD = "ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod"
_REVISIONS = 2
# Folders of the repositories that no engine here reads: the weights again, in two other forms.
_OTHER_FORMS = ("original/", "metal/")
_ALL_FORMS = 3
_PLACEHOLDER = re.compile(r"<.*>|(?:your|my|example|replace|changeme|todo|xxx)[-_ ]?.*", re.IGNORECASE)
# The class of one cluster of NVIDIA's, in recipes that everybody copies.
_OF_ONE_CLUSTER = frozenset({"dgxc-enterprise-file"})
_DEFAULT_ANNOTATION = "storageclass.kubernetes.io/is-default-class"


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
    if _MANY in modes or (_MANY_READERS in modes and _only_read(volume)):
        return
    found = ", ".join(modes) or "no access mode"
    message = f"allows {found}, but {total} pods mount it ({listed}), and nothing keeps them on one node"
    try:
        if _ONE_POD not in modes and on_one_node(graph, users.values()):
            return
    except Undecided:
        # A cluster may have one such node.
        yield Advice(message)
        return
    yield message


def _only_read(volume: ModelVolume) -> bool:
    return all(mount.read_only for user, mount in volume.users if user.kind != "download")


@rule(
    MODEL_VOLUMES,
    severity=Severity.MANDATORY,
    reason=(
        "The download ends with no space left on the device, and no worker starts. Advice where a second "
        "revision has no room: it is downloaded beside the old one, which pods still read, and where nothing "
        "pins the revision that starts by itself. The repositories hold the weights three times, as "
        "safetensors, in original/ and in metal/."
    ),
    source=(
        "https://huggingface.co/openai/gpt-oss-120b (model.safetensors.index.json, total_size); "
        "ai-dynamo/dynamo recipes/gpt-oss-120b/model-cache/model-download.yaml at 371045a; "
        "https://huggingface.co/docs/huggingface_hub/guides/manage-cache"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Ask for at least twice what a revision takes (150Gi for gpt-oss-120b), and exclude original/* and "
        "metal/* from the download."
    ),
)
def cache_holds_the_model(_: ResourceGraph, volume: ModelVolume) -> Iterator[str | Advice]:
    """Model claim is smaller than the model, or than two revisions of it."""
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


@graph_rule(
    severity=Severity.ADVISORY,
    reason=(
        "A claim of a class that does not exist, or that cannot do what it asks for, stays Pending, and so "
        "do all its pods. EKS clusters from 1.30 have no default class."
    ),
    source=(
        "https://kubernetes.io/docs/concepts/storage/persistent-volumes/#class-1; NVIDIA/aicr#107 (claims "
        "Pending on EKS)"
    ),
    lines=EVERY_RELEASE,
    fix="Name a class that kubectl get storageclass lists.",
)
def storage_class_exists(graph: ResourceGraph) -> Iterator[Observation]:
    """Claim names a storage class that is not there, or cannot do what it asks for."""
    has_default = any(_is_default(resource) for resource in graph.kubernetes_objects("StorageClass"))
    for claim in read_claims(graph):
        # A name that only the update knows is some resource's own, so the class is there.
        problem = known(_class_problem, graph, claim, has_default=has_default)
        if problem:
            yield failed(claim.resource, claim.name, problem)


def _class_problem(graph: ResourceGraph, claim: Claim, *, has_default: bool) -> str:
    name = claim.storage_class
    if name is None and not has_default and claim.volume_name is None:
        return "names no storage class, so it waits for the cluster's default one, which may not exist"
    if not isinstance(name, str):
        return ""
    if _PLACEHOLDER.fullmatch(name):
        return f"asks for storage class {name}, which stands for a name that nobody filled in"
    if name in _OF_ONE_CLUSTER:
        return f"asks for storage class {name}, which is of the publisher's own cluster"
    shared = [mode for mode in claim.modes if mode.endswith("Many")]
    if shared and makes_ebs_volumes(graph, name):
        return f"asks for {shared[0]} from storage class {name}, whose EBS volumes have no such mode"
    return ""


def _is_default(storage_class: Resource) -> bool:
    return known(field, storage_class.inputs, "metadata", "annotations", _DEFAULT_ANNOTATION) == "true"
