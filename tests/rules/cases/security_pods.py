"""Privileges of pods, and images that move."""

from tests.rules.case import Case, failed
from tests.rules.edits import add, document, put
from tests.rules.serving_edits import GRAPH

PRIVILEGED = "pods-run-unprivileged"
PINNED = "images-pinned"

FRONTEND = "spec.services.Frontend.extraPodSpec"
VLLM_POD = "spec.components.1.podTemplate.spec"

_PLUGIN = document("""
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: device-plugin, namespace: kube-system}
spec:
  selector: {matchLabels: {app: device-plugin}}
  template:
    metadata: {labels: {app: device-plugin}}
    spec:
      hostNetwork: true
      containers:
        - name: plugin
          image: registry.example/plugin:0.5.14
          securityContext: {privileged: true, runAsUser: 0}
      volumes: [{name: plugins, hostPath: {path: /var/lib/kubelet/device-plugins}}]
""")

CASES = (
    Case(
        PRIVILEGED,
        "an agent of the node",
        "disagg-b200",
        (_PLUGIN,),
        failed(PRIVILEGED, "device-plugin"),
        ("shares the node's Network (hostNetwork), as an agent of the node",),
    ),
    Case(
        PRIVILEGED,
        "a frontend that runs as root",
        "disagg-b200",
        (
            put(GRAPH, f"{FRONTEND}.mainContainer.securityContext.runAsUser", 0),
            put(GRAPH, f"{FRONTEND}.mainContainer.securityContext.runAsNonRoot", value=False),
        ),
        failed(PRIVILEGED, "Frontend"),
        ("container main runs as root (runAsUser 0)",),
    ),
    Case(
        PRIVILEGED,
        "capabilities beyond what transports ask for",
        "vllm-agg",
        (
            put(
                GRAPH,
                f"{VLLM_POD}.containers.0.securityContext.capabilities",
                {"add": ["CAP_SYS_ADMIN", "IPC_LOCK", "SYS_PTRACE", "CHOWN"]},
            ),
        ),
        failed(PRIVILEGED, "VllmWorker"),
        ("adds the capabilities SYS_ADMIN; KV transports ask for IPC_LOCK, SYS_PTRACE, SYS_RESOURCE",),
    ),
    Case(
        PRIVILEGED,
        "files of the node",
        "vllm-agg",
        (add(GRAPH, f"{VLLM_POD}.volumes", {"name": "ib", "hostPath": {"path": "/dev/infiniband"}}),),
        failed(PRIVILEGED, "VllmWorker"),
        ("mounts /dev/infiniband of its node",),
    ),
    Case(
        PINNED,
        "the newest image",
        "disagg-b200",
        (
            put(
                "Job/model-download",
                "spec.template.spec.containers.0.image",
                "docker.io/library/python:latest",
            ),
        ),
        failed(PINNED, "model-download"),
        ("image docker.io/library/python:latest of container download has the tag latest",),
    ),
    Case(
        PINNED,
        "an image without a tag in a registry with a port",
        "disagg-b200",
        (put("Job/model-download", "spec.template.spec.containers.0.image", "registry.example:5000/python"),),
        failed(PINNED, "model-download"),
        ("has no tag, which means latest",),
    ),
)
