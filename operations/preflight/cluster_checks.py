"""Whether a cluster that exists has what a stack needs, before `up` makes anything in it."""

import json
import secrets
from collections.abc import Iterator, Sequence

import requests

from components.cluster_answer import (
    DAEMON_SETS,
    DEPLOYMENTS,
    STORAGE_CLASSES,
    Answer,
    Kind,
    KubernetesObject,
    labels_of,
)
from components.cluster_reader import ClusterReader
from components.dynamo_objects import OPERATOR_LABELS
from operations.commands import ClusterCommands, last_line
from operations.document import CheckResult, good, unknown, wrong
from operations.preflight.answer import Unanswered, guarded
from recipes.model_download import HuggingFaceDownload
from recipes.model_files import ModelFiles
from stacks.plan.cache_plan import OwnVolume
from stacks.plan.platform import PlatformPlan
from stacks.plan.stack_plan import StackPlan
from stacks.updates.free_gpus import nodes_of_pools, pool_uses, room_texts

DRIVER_LABEL = "nvidia.com/cuda.driver-version.major"
"""Written by GPU feature discovery."""
NEEDED_DRIVER = 580
"""Of the CUDA 13 that Dynamo's images have since 1.1 (ai-dynamo/dynamo docs, known issues)."""
CHANNELS = "compute-domain-default-channel.nvidia.com"
"""DeviceClass of NVIDIA's DRA driver (kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm)."""

_DEVICE_CLASSES = Kind("deviceclasses", "resource.k8s.io")
_ENFORCERS = ("calico-node", "cilium", "antrea-agent", "kube-router")
_EKS_AGENT = "aws-eks-nodeagent"
_HUB = "https://huggingface.co"
_HUB_SECONDS = 5
_LATER = frozenset({429, *range(500, 600)})
"""Answers of a server that has too much to do, or is down."""


def cluster_answers(stack: StackPlan, cluster: ClusterReader) -> Iterator[CheckResult]:
    """Ask the cluster, and the hub, each question; nothing is made."""
    nodes = nodes_of_pools(stack, cluster)
    if isinstance(nodes, Answer):
        yield wrong(nodes.why, f"`{cluster.command('get', 'nodes')}` has to answer", "cluster")
        return
    yield from guarded("free GPUs", _room(stack, cluster))
    for pool, items in nodes.items():
        yield from guarded(f"pool {pool}: NVIDIA driver", _driver(items))
    if stack.serving.placed.compute_domain:
        yield from guarded("DRA driver: IMEX channels of compute domains", _channels(cluster))
    if isinstance(stack.cache, OwnVolume) and (name := stack.cache.class_name):
        yield from guarded(f"storage class {name}", _storage_class(name, cluster))
    if stack.network_policies:
        yield from guarded("NetworkPolicy is enforced", _enforcement(cluster))
    if stack.platform:
        yield from guarded("Dynamo operator", _operator(stack.platform, cluster))
    if isinstance(stack.cache, OwnVolume) and isinstance(stack.cache.source, HuggingFaceDownload):
        model = stack.serving.placed.recipe.model
        question = f"hub: {model.repository} at {model.revision[:12]}"
        yield from guarded(question, _hub(model))


_CLAIM_NAMESPACE = "default"
_BOUND_SECONDS = 300
_WAITS = "WaitForFirstConsumer"


def bound_claim(stack: StackPlan, cluster: ClusterCommands) -> CheckResult:
    """Make a claim of 1 GiB, wait until it is bound, and delete it, whatever became of it."""
    name = stack.cache.class_name if isinstance(stack.cache, OwnVolume) else ""
    question = f"a claim of storage class {name or '(none)'} gets a volume"
    if not name:
        return unknown("the model cache is of no storage class", question)
    storage = cluster.reader.ask(STORAGE_CLASSES, name).first or {}
    if storage.get("volumeBindingMode") == _WAITS:
        found = f"the class makes it for the first pod alone ({_WAITS}); none is started here"
        return unknown(found, question)
    claim = f"dynamo-stack-preflight-{secrets.token_hex(3)}"
    where = ("--namespace", _CLAIM_NAMESPACE)
    made = cluster.run("kubectl", "create", "--filename", "-", *where, text=_claim_manifest(claim, name))
    if made.returncode != 0:
        fix = "modelCache.storageClassName, or the right to make claims"
        return wrong(last_line(made.stderr), fix, question)
    try:
        condition = "--for=jsonpath={.status.phase}=Bound"
        waited = cluster.run(
            "kubectl", "wait", condition, f"pvc/{claim}", *where, f"--timeout={_BOUND_SECONDS}s"
        )
        events = (
            cluster.run("kubectl", "events", "--for", f"pvc/{claim}", *where) if waited.returncode else waited
        )
    finally:
        words = ("delete", "pvc", claim, *where, f"--timeout={_BOUND_SECONDS}s")
        deleted = cluster.run("kubectl", *words)
    if waited.returncode != 0:
        return wrong(last_line(events.stdout), "docs/runbook/cache-volume-unbound.md", question)
    if deleted.returncode != 0:
        found = f"claim {claim} was bound, and is left: {last_line(deleted.stderr)}"
        return wrong(found, f"`{cluster.reader.command(*words)}`", question)
    return good(f"claim {claim} was bound, and is deleted", question)


def _room(stack: StackPlan, cluster: ClusterReader) -> Iterator[CheckResult]:
    uses = pool_uses(stack, cluster)
    if isinstance(uses, Answer):
        raise Unanswered(uses.why)
    for text, fits in room_texts(stack, uses):
        pool, _, found = text.partition(": ")
        question = f"{pool}: free GPUs"
        fix = "nodePools, serving.replicas, or others end"
        yield good(found, question) if fits else wrong(found, fix, question)


def _driver(nodes: Sequence[KubernetesObject]) -> Iterator[CheckResult]:
    majors = sorted({labels_of(node).get(DRIVER_LABEL, "") for node in nodes})
    if not all(major.isdecimal() for major in majors):
        yield unknown(f"no label {DRIVER_LABEL} on its nodes: GPU feature discovery does not run")
    elif old := [major for major in majors if int(major) < NEEDED_DRIVER]:
        fix = "a newer node image, or the GPU operator's driver.version"
        yield wrong(f"{', '.join(old)}; the images' CUDA 13 needs {NEEDED_DRIVER}", fix)
    elif majors:
        yield good(", ".join(majors))


def _known(answer: Answer) -> Sequence[KubernetesObject]:
    """Return what there is; raises Unanswered where the cluster does not say."""
    if not answer.is_known:
        raise Unanswered(answer.why)
    return answer.items


def _channels(cluster: ClusterReader) -> Iterator[CheckResult]:
    if _known(cluster.ask(_DEVICE_CLASSES, CHANNELS)):
        yield good(f"DeviceClass {CHANNELS}")
    else:
        fix = "install nvidia-dra-driver-gpu (docs/other-clusters.md), on Kubernetes 1.34 or newer"
        yield wrong(f"there is no DeviceClass {CHANNELS}", fix)


def _storage_class(name: str, cluster: ClusterReader) -> Iterator[CheckResult]:
    there = {each["metadata"]["name"]: each for each in _known(cluster.ask(STORAGE_CLASSES))}
    if name in there:
        binds = there[name].get("volumeBindingMode", "Immediate")
        yield good(f"{there[name]['provisioner']}, {binds}")
    else:
        have = ", ".join(sorted(there)) or "none"
        yield wrong(f"the cluster has {have}", "modelCache.storageClassName")


def _enforcement(cluster: ClusterReader) -> Iterator[CheckResult]:
    for each in _known(cluster.ask(DAEMON_SETS, namespace="kube-system")):
        containers = each["spec"]["template"]["spec"].get("containers") or []
        name = each["metadata"]["name"]
        if name in _ENFORCERS or any(container["name"] == _EKS_AGENT for container in containers):
            yield good(f"by DaemonSet {name}")
            return
    raise Unanswered("no DaemonSet of kube-system is known to enforce it: policies may be ignored")


def _operator(platform: PlatformPlan, cluster: ClusterReader) -> Iterator[CheckResult]:
    operators = _known(cluster.ask(DEPLOYMENTS, labelSelector=OPERATOR_LABELS))
    home = platform.namespace if platform.kind == "own" else None
    for each in operators:
        metadata = each["metadata"]
        images = [container["image"] for container in each["spec"]["template"]["spec"]["containers"]]
        tags = ", ".join(sorted({image.partition("@")[0].rpartition(":")[2] for image in images}))
        place = f"{metadata['namespace']}/{metadata['name']}"
        found = f"{place} is of {tags}, and platform.version is {platform.version}"
        # `up` makes the stack's own one what the settings say.
        is_fine = platform.version in tags.split(", ") or metadata["namespace"] == home
        yield good(found) if is_fine else wrong(found, "platform.version")
    if not operators:
        absent = wrong("there is none, and platform.kind is existing", "platform: {kind: own}")
        yield good("none: `up` installs it") if home else absent


def _hub(model: ModelFiles) -> Iterator[CheckResult]:
    try:
        url = f"{_HUB}/api/models/{model.repository}/revision/{model.revision}"
        status = requests.head(url, timeout=_HUB_SECONDS, allow_redirects=True).status_code
    except requests.RequestException as error:
        why = f"not reached from this machine ({type(error).__name__}); the Job's pod must reach it"
        raise Unanswered(why) from None
    if status == requests.codes.ok:
        yield good("is there, for everybody")
    elif status in _LATER:
        yield unknown(f"the hub answers {status}: ask again later")
    else:
        fix = "model.revision, or a token (pulumi config set --secret hfToken)"
        yield wrong(f"the hub answers {status}", fix)


def _claim_manifest(claim: str, storage_class: str) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": claim},
            "spec": {
                "accessModes": ["ReadWriteMany"],
                "storageClassName": storage_class,
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }
    )
