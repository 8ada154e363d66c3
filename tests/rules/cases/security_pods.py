"""Privileges of pods, and images that move."""

from tests.rules.case import On
from tests.rules.edits import add, document, put
from tests.rules.names import DOWNLOAD, GRAPH, SERVER, VLLM_MAIN, VLLM_POD

PINNED = "images-pinned"

FRONTEND = "spec.services.Frontend.extraPodSpec"
_CAPABILITIES = ["CAP_SYS_ADMIN", "IPC_LOCK", "SYS_PTRACE", "CHOWN"]

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
    On("pods-run-unprivileged", "disagg-b200", "device-plugin", "Frontend").fails(
        "an agent of the node, and a frontend that runs as root",
        "shares the node's Network (hostNetwork), as an agent of the node",
        _PLUGIN,
        "container main runs as root (runAsUser 0)",
        put(GRAPH, f"{FRONTEND}.mainContainer.securityContext.runAsUser", 0),
        put(GRAPH, f"{FRONTEND}.mainContainer.securityContext.runAsNonRoot", value=False),
    ),
    On("pods-run-unprivileged", "vllm-agg", "VllmWorker").fails(
        "capabilities beyond what transports ask for, and files of the node",
        "adds the capabilities SYS_ADMIN; KV transports ask for IPC_LOCK, SYS_PTRACE, SYS_RESOURCE",
        put(GRAPH, f"{VLLM_MAIN}.securityContext.capabilities.add", _CAPABILITIES),
        "mounts /dev/infiniband of its node",
        add(GRAPH, f"{VLLM_POD}.volumes", {"name": "ib", "hostPath": {"path": "/dev/infiniband"}}),
    ),
    On(PINNED, "disagg-b200", "model-download").fails(
        "the newest image",
        "image docker.io/library/python:latest of container download has the tag latest",
        put(DOWNLOAD, f"{SERVER}.image", "docker.io/library/python:latest"),
    ),
    On(PINNED, "disagg-b200", "model-download").fails(
        "an image without a tag in a registry with a port, in letters that no registry takes",
        "has no tag, which means latest",
        put(DOWNLOAD, f"{SERVER}.image", "registry.example:5000/Python"),
    ),
    On(PINNED, "disagg-b200").passes("a placeholder", put(DOWNLOAD, f"{SERVER}.image", "V_IMAGE_URL")),
)
