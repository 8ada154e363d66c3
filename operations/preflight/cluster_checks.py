"""Whether a cluster that exists has what a stack needs, before `up` makes anything in it."""

import json
import secrets
from collections.abc import Iterator, Sequence

import requests

from components.cluster_answer import (
    DAEMON_SETS,
    DEPLOYMENTS,
    STORAGE_CLASSES,
    Kind,
    KubernetesObject,
    labels_of,
)
from components.cluster_answer import Answer as ClusterAnswer
from components.cluster_reader import ClusterReader
from components.dynamo_objects import OPERATOR_LABELS
from components.gpu_nodes_ready import GPU_COUNT_LABEL
from failures.pods_and_events import allocatable_gpus, is_ready
from failures.unready_workloads import why_unusable
from operations.commands import ClusterCommands, last_line
from operations.preflight.answer import Answer, Unanswered, good, guarded, unknown, wrong
from recipes.model_download import HuggingFaceDownload
from stacks.plan.cache_plan import OwnVolume
from stacks.plan.platform.platform_plan import PlatformPlan
from stacks.plan.stack_plan import StackPlan
from stacks.updates.free_gpus import nodes_of_pools, pool_uses, room_texts

DRIVER_LABEL = "nvidia.com/cuda.driver-version.major"
"""Written by GPU feature discovery."""
NEEDED_DRIVER = 580
"""Of the CUDA 13 that Dynamo's images have since 1.1 (ai-dynamo/dynamo docs, known issues)."""
CHANNELS = "compute-domain-default-channel.nvidia.com"
"""DeviceClass of NVIDIA's DRA driver (kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm)."""

_DEVICE_CLASSES = Kind("deviceclasses", "resource.k8s.io")
_POLICIES = Kind.of_definition("clusterpolicies.nvidia.com")
_CHANNELS_THERE = "DRA driver: IMEX channels of compute domains"
_ENFORCED = "NetworkPolicy is enforced"
_OPERATOR = "Dynamo operator"
_ENFORCERS = ("calico-node", "cilium", "antrea-agent", "kube-router")
_EKS_AGENT = "aws-eks-nodeagent"
_HUB = "https://huggingface.co"
_HUB_SECONDS = 5
_LATER = frozenset({429, *range(500, 600)})
"""Answers of a server that has too much to do, or is down."""


def cluster_answers(stack: StackPlan, cluster: ClusterReader) -> Iterator[Answer]:
    """Ask the cluster, and the hub, each question; nothing is made."""
    nodes = nodes_of_pools(stack, cluster)
    if isinstance(nodes, ClusterAnswer):
        yield wrong("cluster", nodes.why, f"`{cluster.command('get', 'nodes')}` has to answer")
        return
    yield from guarded("free GPUs", _room, stack, cluster)
    sizes = {each.pool.name: each.pool.instance_type.gpus for each in stack.pools}
    for pool, items in nodes.items():
        if items:
            yield _gpus(pool, items, sizes[pool])
            yield _driver(pool, items)
    yield from _gpu_operator(cluster)
    if stack.serving.placed.compute_domain:
        yield from guarded(_CHANNELS_THERE, _channels, cluster)
    if isinstance(stack.cache, OwnVolume) and (name := stack.cache.class_name):
        yield from guarded(f"storage class {name}", _storage_class, name, cluster)
    if stack.settings.network_policies:
        yield from guarded(_ENFORCED, _enforcement, cluster)
    if stack.platform:
        yield from guarded(_OPERATOR, _operator, stack.platform, cluster)
    if isinstance(stack.cache, OwnVolume) and isinstance(stack.cache.source, HuggingFaceDownload):
        yield _hub(stack)


_CLAIM_NAMESPACE = "default"
_BOUND_SECONDS = 300
_WAITS = "WaitForFirstConsumer"


def bound_claim(stack: StackPlan, cluster: ClusterCommands) -> Answer:
    """Make a claim of 1 GiB, wait until it is bound, and delete it, whatever became of it."""
    name = stack.cache.class_name if isinstance(stack.cache, OwnVolume) else ""
    question = f"a claim of storage class {name or '(none)'} gets a volume"
    if not name:
        return unknown(question, "the model cache is of no storage class")
    storage = cluster.ask(STORAGE_CLASSES, name).first or {}
    if storage.get("volumeBindingMode") == _WAITS:
        return unknown(
            question, f"the class makes it for the first pod alone ({_WAITS}); none is started here"
        )
    claim = f"dynamo-stack-preflight-{secrets.token_hex(3)}"
    where = ("--namespace", _CLAIM_NAMESPACE)
    made = cluster.run("kubectl", "create", "--filename", "-", *where, text=_claim_manifest(claim, name))
    if made.returncode != 0:
        return wrong(
            question, last_line(made.stderr), "modelCache.storageClassName, or the right to make claims"
        )
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
        return wrong(question, last_line(events.stdout), "docs/runbook/cache-volume-unbound.md")
    if deleted.returncode != 0:
        look = cluster.command(*words)
        return wrong(
            question, f"claim {claim} was bound, and is left: {last_line(deleted.stderr)}", f"`{look}`"
        )
    return good(question, f"claim {claim} was bound, and is deleted")


def _room(stack: StackPlan, cluster: ClusterReader) -> Iterator[Answer]:
    uses = pool_uses(stack, cluster)
    if isinstance(uses, ClusterAnswer):
        raise Unanswered(uses.why)
    for text, fits in room_texts(stack, uses):
        pool, _, found = text.partition(": ")
        question = f"{pool}: free GPUs"
        yield (
            good(question, found)
            if fits
            else wrong(question, found, "nodePools, serving.replicas, or others end")
        )


def _gpus(pool: str, nodes: Sequence[KubernetesObject], gpus: int) -> Answer:
    question = f"pool {pool}: GPUs that the device plugin offers"
    counts = {node["metadata"]["name"]: labels_of(node).get(GPU_COUNT_LABEL) or str(gpus) for node in nodes}
    said = [why for node in nodes if (why := _why_too_few(node, counts[node["metadata"]["name"]]))]
    if said:
        return wrong(question, "; ".join(said), "docs/runbook/gpu-nodes-not-joining.md")
    return good(question, ", ".join(f"{name}: {count}" for name, count in counts.items()))


def _why_too_few(node: KubernetesObject, gpus: str) -> str | None:
    # Where GPU feature discovery does not run, the settings alone say how many there are.
    is_seen = GPU_COUNT_LABEL in labels_of(node)
    is_whole = is_ready(node) and str(allocatable_gpus(node)) == gpus
    return None if is_whole and not is_seen else why_unusable(node, gpus)


def _driver(pool: str, nodes: Sequence[KubernetesObject]) -> Answer:
    question = f"pool {pool}: NVIDIA driver"
    majors = {labels_of(node).get(DRIVER_LABEL, "") for node in nodes}
    if not all(major.isdecimal() for major in majors):
        return unknown(question, f"no label {DRIVER_LABEL} on its nodes: GPU feature discovery does not run")
    if min(map(int, majors)) < NEEDED_DRIVER:
        found = f"{min(majors, key=int)}; the images' CUDA 13 needs {NEEDED_DRIVER}"
        return wrong(question, found, "a newer node image, or the GPU operator's driver.version")
    return good(question, ", ".join(sorted(majors)))


def _gpu_operator(cluster: ClusterReader) -> Iterator[Answer]:
    for policy in cluster.ask(_POLICIES).items:
        state = (policy.get("status") or {}).get("state", "")
        question = f"GPU operator: ClusterPolicy {policy['metadata']['name']}"
        if state == "notReady":
            look = cluster.command(
                "get", "pods", "--all-namespaces", "--selector", "app.kubernetes.io/managed-by=gpu-operator"
            )
            yield wrong(question, "notReady: one of its operands does not run", f"`{look}`")
        else:
            yield good(question, state) if state else unknown(question, "it reports no state")


def _known(answer: ClusterAnswer) -> Sequence[KubernetesObject]:
    """Return what there is; raises Unanswered where the cluster does not say."""
    if not answer.is_known:
        raise Unanswered(answer.why)
    return answer.items


def _channels(cluster: ClusterReader) -> Answer:
    if _known(cluster.ask(_DEVICE_CLASSES, CHANNELS)):
        return good(_CHANNELS_THERE, f"DeviceClass {CHANNELS}")
    fix = "install nvidia-dra-driver-gpu (docs/other-clusters.md), on Kubernetes 1.34 or newer"
    return wrong(_CHANNELS_THERE, f"there is no DeviceClass {CHANNELS}", fix)


def _storage_class(name: str, cluster: ClusterReader) -> Answer:
    question = f"storage class {name}"
    there = {each["metadata"]["name"]: each for each in _known(cluster.ask(STORAGE_CLASSES))}
    if name in there:
        binds = there[name].get("volumeBindingMode", "Immediate")
        return good(question, f"{there[name]['provisioner']}, {binds}")
    have = ", ".join(sorted(there)) or "none"
    return wrong(question, f"the cluster has {have}", "modelCache.storageClassName")


def _enforcement(cluster: ClusterReader) -> Answer:
    for each in _known(cluster.ask(DAEMON_SETS, namespace="kube-system")):
        containers = each["spec"]["template"]["spec"].get("containers") or []
        name = each["metadata"]["name"]
        if name in _ENFORCERS or any(container["name"] == _EKS_AGENT for container in containers):
            return good(_ENFORCED, f"by DaemonSet {name}")
    raise Unanswered("no DaemonSet of kube-system is known to enforce it: policies may be ignored")


def _operator(platform: PlatformPlan, cluster: ClusterReader) -> Iterator[Answer]:
    operators = _known(cluster.ask(DEPLOYMENTS, labelSelector=OPERATOR_LABELS))
    wanted = platform.version
    home = platform.namespace if platform.kind == "own" else None
    for each in operators:
        place = f"{each['metadata']['namespace']}/{each['metadata']['name']}"
        images = [container["image"] for container in each["spec"]["template"]["spec"]["containers"]]
        tags = sorted({image.partition("@")[0].rpartition(":")[2] for image in images})
        if wanted in tags:
            yield good(_OPERATOR, f"{place} is of {wanted}, the settings' platform.version")
        elif each["metadata"]["namespace"] == home:
            yield good(_OPERATOR, f"{place} is of {', '.join(tags)}; `up` makes it {wanted}")
        else:
            found = f"{place} is of {', '.join(tags)}, and platform.version is {wanted}"
            yield wrong(_OPERATOR, found, "platform.version")
    if not operators and home is not None:
        yield good(_OPERATOR, "none: `up` installs it")
    elif not operators:
        yield wrong(_OPERATOR, "there is none, and platform.kind is existing", "platform: {kind: own}")


def _hub(stack: StackPlan) -> Answer:
    model = stack.serving.placed.recipe.model
    question = f"hub: {model.repository} at {model.revision[:12]}"
    try:
        url = f"{_HUB}/api/models/{model.repository}/revision/{model.revision}"
        status = requests.head(url, timeout=_HUB_SECONDS, allow_redirects=True).status_code
    except requests.RequestException as error:
        return unknown(
            question, f"not reached from this machine ({type(error).__name__}); the Job's pod must reach it"
        )
    if status == requests.codes.ok:
        return good(question, "is there, for everybody")
    if status in _LATER:
        return unknown(question, f"the hub answers {status}: ask again later")
    return wrong(
        question,
        f"the hub answers {status}",
        "model.revision, or a token (pulumi config set --secret hfToken)",
    )


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
