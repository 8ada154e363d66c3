"""Faults that a recorded cluster can have -> what the doctor's first line says of each."""

import copy
from collections.abc import Callable
from typing import Any

from stacks.settings.cluster import CapacityBlock
from tests.operations.doctor.recorded_cluster import GRAPH, NODE, RecordedCluster

ENDED = {"exitCode": 1, "reason": "Error", "finishedAt": "2026-11-28T08:59:30Z"}
SILENCE = {"reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}


def _unready(pod: dict[str, Any], **status: Any) -> None:
    for condition in pod["status"]["conditions"]:
        if condition["type"] == "Ready":
            condition["status"] = "False"
    if status:
        pod["status"]["containerStatuses"][0] |= {"ready": False, **status}


def _no_workers(cluster: RecordedCluster, role: str = "decode") -> None:
    cluster.wrong_answers.setdefault("workers", f"no {role} worker is registered")


def _break_decode(cluster: RecordedCluster, **status: Any) -> str:
    """Let the one decode worker be unready with this status; its pod's name."""
    [pod] = cluster.pods("decode")
    _unready(pod, **status)
    _no_workers(cluster)
    return pod["metadata"]["name"]


def gpu_node_lost(cluster: RecordedCluster) -> None:
    cluster.one("nodes", NODE)["status"]["conditions"][0] |= {"status": "Unknown", **SILENCE}
    for role in ("prefill", "decode"):
        for pod in cluster.pods(role):
            _unready(pod)
    _no_workers(cluster)


def gpu_node_gone(cluster: RecordedCluster) -> None:
    cluster.listed["nodes"].remove(cluster.one("nodes", NODE))
    _break_decode(cluster)


def pool_short(cluster: RecordedCluster) -> None:
    cluster.listed["nodes"].remove(cluster.one("nodes", NODE))
    no_gpus_left(cluster)
    for pod in cluster.pods("prefill"):
        pod["spec"]["nodeName"] = None
        pod["status"] = cluster.pods("decode")[0]["status"]


def block_over(cluster: RecordedCluster) -> None:
    pool_short(cluster)
    cluster.block = CapacityBlock(
        kind="capacityBlock",
        id="cr-0123456789abcdef0",
        starts="2026-11-27T11:30:00Z",
        ends="2026-11-28T11:30:00Z",
        phase="active",
    )


def gpu_missing(cluster: RecordedCluster) -> None:
    cluster.one("nodes", NODE)["status"]["allocatable"]["nvidia.com/gpu"] = "7"


def claim_lost(cluster: RecordedCluster) -> None:
    cluster.one("persistentvolumeclaims", "model-cache")["status"]["phase"] = "Lost"


def download_failed(cluster: RecordedCluster) -> None:
    failed = {"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded", "message": "too often"}
    cluster.one("jobs", "model-download")["status"] = {"conditions": [failed], "failed": 7}


def operator_away(cluster: RecordedCluster) -> None:
    operator = cluster.one("deployments", "operator")
    operator["status"].pop("readyReplicas")
    cluster.listed["pods"] = [
        each for each in cluster.listed["pods"] if "operator" not in each["metadata"]["name"]
    ]


def definitions_gone(cluster: RecordedCluster) -> None:
    del cluster.listed["dynamographdeployments"]


def webhook_silent(cluster: RecordedCluster) -> None:
    cluster.unconverted = (
        "conversion webhook for nvidia.com/v1alpha1, Kind=DynamoGraphDeployment failed: refused"
    )


def nats_away(cluster: RecordedCluster) -> None:
    cluster.one("statefulsets", "nats")["status"]["readyReplicas"] = 0
    _unready(cluster.one("pods", "nats-0"))


def etcd_member_lost(cluster: RecordedCluster) -> None:
    etcd = copy.deepcopy(cluster.one("statefulsets", "nats"))
    etcd["metadata"]["name"] = "dynamo-etcd"
    etcd["spec"]["replicas"], etcd["status"]["readyReplicas"] = 3, 2
    cluster.listed["statefulsets"].append(etcd)


def etcd_away(cluster: RecordedCluster) -> None:
    etcd_member_lost(cluster)
    cluster.one("statefulsets", "etcd")["status"]["readyReplicas"] = 0


def graph_gone(cluster: RecordedCluster) -> None:
    cluster.listed["dynamographdeployments"] = []
    cluster.listed["pods"] = [
        each for each in cluster.listed["pods"] if GRAPH not in each["metadata"]["name"]
    ]
    cluster.wrong_answers["frontend"] = 'services "gpt-oss-disagg-frontend" not found'


def no_prefill_asked_for(cluster: RecordedCluster) -> None:
    cluster.one("dynamographdeployments", GRAPH)["spec"]["services"]["TrtllmPrefillWorker"]["replicas"] = 0
    cluster.listed["pods"] = [
        each for each in cluster.listed["pods"] if "prefill" not in each["metadata"]["name"]
    ]
    _no_workers(cluster, "prefill")


def no_gpus_left(cluster: RecordedCluster) -> None:
    [pod] = cluster.pods("decode")
    pod["spec"]["nodeName"] = None
    message = "0/6 nodes are available: 1 Insufficient nvidia.com/gpu, 5 node(s) didn't match"
    pod["status"] = {
        "phase": "Pending",
        "conditions": [{"type": "PodScheduled", "status": "False", "message": message}],
    }
    _no_workers(cluster)


def no_imex_channel(cluster: RecordedCluster) -> None:
    name = _break_decode(cluster, state={"waiting": {"reason": "ContainerCreating"}}, lastState={})
    message = "error preparing devices: DRA driver compute-domain.nvidia.com is not registered"
    cluster.events.append(
        {
            "type": "Warning",
            "reason": "FailedPrepareDynamicResources",
            "message": message,
            "involvedObject": {"name": name},
        }
    )


def image_not_pulled(cluster: RecordedCluster) -> None:
    waiting = {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "nvcr.io/…:1.9"'}
    _break_decode(cluster, state={"waiting": waiting}, lastState={})


def model_not_found(cluster: RecordedCluster) -> None:
    waiting = {"reason": "CrashLoopBackOff", "message": "back-off 40s restarting failed container"}
    words = {**ENDED, "message": "OSError: /opt/models/hub: the model is not where --model-path says"}
    _break_decode(cluster, state={"waiting": waiting}, lastState={"terminated": words}, restartCount=3)


def killed(cluster: RecordedCluster) -> None:
    ended = {"terminated": ENDED | {"exitCode": 137}}
    _break_decode(cluster, state={"running": {}}, lastState=ended, restartCount=1)


def still_loading(cluster: RecordedCluster) -> None:
    _break_decode(cluster, state={"running": {}}, lastState={}, restartCount=0)


def model_not_listed(cluster: RecordedCluster) -> None:
    cluster.wrong_answers["model"] = "openai/gpt-oss-120b is not listed; listed: none"


def pool_poisoned(cluster: RecordedCluster) -> None:
    cluster.logs["decode"] = "INFO ready\nERROR a previous transfer left the buffer pool poisoned\n"
    cluster.wrong_answers["chat"] = "HTTP 500: Failed to generate completions"


def service_leads_nowhere(cluster: RecordedCluster) -> None:
    cluster.one("services", "frontend")["spec"]["selector"]["nvidia.com/dynamo-component-type"] = "front"
    cluster.wrong_answers["frontend"] = "kubectl port-forward did not start within 5 s"


def pod_refused(cluster: RecordedCluster) -> None:
    [pod] = cluster.pods("decode")
    cluster.listed["pods"].remove(pod)
    message = 'pods "decode-1" is forbidden: exceeded quota: team, requested: pods=1'
    refused = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message}
    cluster.listed["deployments"].append(
        {
            "metadata": {"name": "decode", "namespace": pod["metadata"]["namespace"]},
            "spec": {"template": {"metadata": pod["metadata"]}},
            "status": {"conditions": [refused]},
        }
    )
    _no_workers(cluster)


def node_tainted(cluster: RecordedCluster) -> None:
    no_gpus_left(cluster)
    spec = cluster.pods("decode")[0]["spec"]
    spec["containers"] = [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "4"}}}]
    spec["tolerations"] = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    cluster.one("nodes", NODE)["spec"]["taints"] = [
        {"key": key, "effect": "NoSchedule"} for key in ("nvidia.com/gpu", "maintenance")
    ]


def pod_held(cluster: RecordedCluster) -> None:
    held = copy.deepcopy(cluster.pods("decode")[0])
    held["metadata"] |= {"name": "held", "deletionTimestamp": "2026-11-28T08:50:00Z", "finalizers": ["a/b"]}
    no_gpus_left(cluster)
    cluster.listed["pods"].append(held)


def engine_files_gone(cluster: RecordedCluster) -> None:
    no_imex_channel(cluster)
    cluster.events[0] |= {"reason": "FailedMount", "message": 'configmap "engine-1" not found'}


def namespace_going(cluster: RecordedCluster) -> None:
    going = {"name": "gpt-oss", "deletionTimestamp": "2026-11-28T08:59:00Z"}
    cluster.listed["namespaces"] = [{"metadata": going}]
    cluster.one("persistentvolumeclaims", "model-cache")["metadata"]["deletionTimestamp"] = going[
        "deletionTimestamp"
    ]
    cluster.listed["pods"] = cluster.listed["pods"][:2]
    cluster.wrong_answers["frontend"] = "kubectl port-forward did not start within 5 s"


def never_answers(cluster: RecordedCluster) -> None:
    cluster.wrong_answers["chat"] = "no answer within 10 s"


FAULTS: dict[str, tuple[Callable[[RecordedCluster], None], str]] = {
    "a GPU node is lost": (gpu_node_lost, f"node {NODE}: not ready, Kubelet stopped posting node status."),
    "a GPU node is gone": (gpu_node_gone, f"node {NODE}: does not exist any more"),
    "a pool has lost its node": (pool_short, "pool b200: 0 of 1 nodes with its labels are in the cluster"),
    "a Capacity Block is over": (
        block_over,
        "pool b200: 0 of 1 nodes with its labels are in the cluster; its Capacity Block cr-0123456789abcdef0 "
        "ends at 2026-11-28T11:30:00Z",
    ),
    "a GPU is missing": (gpu_missing, f"node {NODE}: Ready, but GPU feature discovery sees 8"),
    "the claim has lost its volume": (claim_lost, "claim model-cache: has lost its volume"),
    "the download failed": (
        download_failed,
        "the download of the model (Job model-download) failed for good",
    ),
    "the operator is away": (operator_away, "the Dynamo operator has no pod"),
    "the definitions are gone": (
        definitions_gone,
        "graph gpt-oss/gpt-oss-disagg is gone with its definition",
    ),
    "the webhook is silent": (webhook_silent, "the operator's webhook does not answer"),
    "NATS is away": (nats_away, "dynamo-platform-nats: 1 of 1 members are not ready"),
    "a member of etcd is lost": (
        etcd_member_lost,
        "dynamo-etcd: 1 of 3 members are not ready; the others serve on",
    ),
    "all of etcd is away": (etcd_away, "dynamo-etcd: 3 of 3 members are not ready; no pod of a graph starts"),
    "the graph is gone": (graph_gone, "graph gpt-oss/gpt-oss-disagg is gone: somebody deleted it"),
    "the graph asks for no prefill": (no_prefill_asked_for, "TrtllmPrefillWorker has no pod: graph"),
    "no GPUs are left": (no_gpus_left, "no node has as many free GPUs as the pod asks for"),
    "no IMEX channel": (no_imex_channel, "the compute domain's DRA driver does not run on the node"),
    "the image is not pulled": (image_not_pulled, "its image cannot be pulled"),
    "the model is not on its volume": (model_not_found, "the model is not on its volume"),
    "a worker was killed": (killed, "ended with exit code 137 (Error) and is started again"),
    "a worker loads its model": (still_loading, "is starting: it runs, and is not ready yet"),
    "a worker is not registered": (_no_workers, "a worker is missing: no decode worker is registered"),
    "the model is not listed": (
        model_not_listed,
        "the model is not served: openai/gpt-oss-120b is not listed",
    ),
    "the buffer pool is poisoned": (pool_poisoned, "a worker's peer died in the middle of a KV transfer"),
    "the frontend's Service leads nowhere": (
        service_leads_nowhere,
        "Service gpt-oss-disagg-frontend selects none of its pods",
    ),
    "a quota, a limit or a webhook refuses pods": (pod_refused, "a pod is not let in: pods"),
    "a GPU node is tainted": (node_tainted, f"node {NODE} has the taint maintenance:NoSchedule"),
    "a pod does not go": (pod_held, "pod held should be gone, and keeps its place: finalizer a/b"),
    "the engine's files are gone": (engine_files_gone, "a ConfigMap or a Secret that it mounts is not there"),
    "the namespace is being deleted": (namespace_going, "namespace gpt-oss is being deleted since 2026"),
    "a request never ends": (never_answers, "a completion failed: no answer within 10 s"),
}
