"""What every pod of the lab shares: the API server, the folders, the programs, the cluster's names."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import yaml

from lab.control_plane import service_range
from lab.controller.api import ApiError
from lab.controller.objects import event, now
from lab.kubelet import network
from lab.kubelet.programs import Programs
from lab.kubelet.translation import Translation
from lab.kubelet.volumes import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lab.controller.api import KubernetesApi, Manifest
    from lab.directory import LabDirectory
    from lab.kubelet.images import Image

_TOKEN_MOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a path
# Where the runtime listens, and what it announces: in a pod all interfaces, and the pod's one address.
_HOSTS = (
    *("DYN_HTTP_HOST", "DYN_SYSTEM_HOST"),
    *("DYN_TCP_RPC_HOST", "DYN_HTTP_RPC_HOST"),
)
_SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
_log = logging.getLogger(__name__)


class Machine:
    """The one machine behind all of the lab's nodes."""

    def __init__(self, api: KubernetesApi, lab: LabDirectory, python: Path, temporary: Path) -> None:
        self.api = api
        self._temporary = temporary
        self.root = lab.root / "kubelet"
        self.services: dict[str, Manifest] = {}
        self.sets: dict[str, Manifest] = {}
        self._kubeconfig = lab.kubeconfig
        self.root.mkdir(parents=True, exist_ok=True)
        self._addresses = network.PodAddresses(service_range(lab), self.root / "addresses")
        self.programs = Programs(self.root, lab.bin, python)
        self._events: list[Manifest] = []

    def address(self, pod: Mapping[str, Any]) -> str:
        """Return the pod's loopback address."""
        metadata = pod["metadata"]
        return self._addresses.of(metadata["namespace"], metadata["name"])

    def translation(self, pod: Mapping[str, Any], mounts: Mapping[str, str]) -> Translation:
        """Return what the pod's mounts and the names of the cluster are here, at this moment."""
        services = list(self.services.values())
        names = network.service_names(services)
        names |= network.member_names(services, self.sets.values(), self._addresses)
        hosts = network.host_names(services, pod["metadata"]["namespace"])
        return Translation(self.address(pod), mounts, names, hosts)

    def variables(self, address: str, credentials: Path | None, image: Image | None) -> dict[str, str]:
        """Return what the image and the network namespace would give; the pod's own variables come later."""
        given = {
            "PATH": f"{self.programs.folder(image)}:{_SYSTEM_PATH}",
            "HOME": str(self.root / "home"),
            # Dynamo's runtime leaves a file there with each start.
            "TMPDIR": str(self._temporary),
            "PYTHONUNBUFFERED": "1",
            **dict.fromkeys(_HOSTS, address),
            # Takes an interface, on a port that the system chooses: the first one of the machine without it.
            "DYN_TCP_RESPONSE_STREAM_HOST": "lo",
        }
        return given | ({"KUBECONFIG": str(credentials)} if credentials else {})

    def log_file(self, pod: Mapping[str, Any], container: str) -> Path:
        """Return where the container's output goes, in the container runtime's format."""
        metadata = pod["metadata"]
        file = self.root / "logs" / metadata["namespace"] / metadata["name"] / f"{container}.log"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
        return file

    def working_directory(self, pod: Mapping[str, Any], container: Mapping[str, Any]) -> Path:
        """Return the container's own folder at the path that its image would have."""
        folder = self.root / "pods" / pod["metadata"]["uid"] / "root" / container["name"]
        folder /= container.get("workingDir", "/").strip("/")
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    async def token(self, pod: Mapping[str, Any]) -> str:
        """Return a token of the pod's service account, empty where none is mounted."""
        mounts = [
            mount["mountPath"]
            for container in pod["spec"]["containers"]
            for mount in container.get("volumeMounts", ())
        ]
        if _TOKEN_MOUNT not in mounts:
            return ""
        account = pod["spec"].get("serviceAccountName", "default")
        return await self.api.create_token(pod["metadata"]["namespace"], account)

    def write_credentials(self, pod: Mapping[str, Any], token: str) -> Path:
        """Write a kubeconfig with the service account's token, for want of a path that only this pod has."""
        file = self.root / "pods" / pod["metadata"]["uid"] / "kubeconfig"
        named = {"name": "pod"}
        [known] = yaml.safe_load(self._kubeconfig.read_text(encoding="utf-8"))["clusters"]
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "pod",
            "clusters": [{**named, "cluster": known["cluster"]}],
            "users": [{**named, "user": {"token": token}}],
            "contexts": [
                {
                    **named,
                    "context": {"cluster": "pod", "user": "pod", "namespace": pod["metadata"]["namespace"]},
                }
            ],
        }
        write_whole(file, yaml.safe_dump(content))
        file.chmod(0o600)
        return file

    async def write_status(self, pod: Mapping[str, Any], status: Mapping[str, Any]) -> Manifest:
        """Write the pod's status; the pod of another uid and the same name is left alone."""
        manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": pod["metadata"]}
        return await self.api.merge_patch_status(manifest, status)

    def event(self, pod: Mapping[str, Any], kind: str, reason: str, message: str) -> None:
        """Tell an event of the pod, as soon as the API server takes it."""
        _log.info("pod %s: %s: %s", pod["metadata"]["name"], reason, message)
        self._events.append(_event(pod, kind, reason, message))

    async def tell_events(self) -> None:
        """Send what has been told."""
        while self._events:
            try:
                await self.api.create(self._events[0])
            except ApiError as error:
                _log.info("an event: %s", error)
            self._events.pop(0)


def _event(pod: Mapping[str, Any], kind: str, reason: str, message: str) -> Manifest:
    metadata = pod["metadata"]
    made = event({"apiVersion": "v1", "kind": "Pod", "metadata": metadata}, reason, message, "kubelet")
    made["metadata"] = {"generateName": f"{metadata['name']}.", "namespace": metadata["namespace"]}
    made["source"]["host"] = pod["spec"].get("nodeName", "")
    return made | {"type": kind, "firstTimestamp": now(), "lastTimestamp": now(), "count": 1}
