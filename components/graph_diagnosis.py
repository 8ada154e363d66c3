"""Why a graph is not ready, in the words of the scheduler and the container runtime.

The provider waits for the condition Ready and knows only that it did not come. What a person needs is on the
pods, so they are read with kubectl where it is installed; where not, the command is printed.
"""

import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_KUBECTL_SECONDS = 20
_WEBHOOK_SIGNS = ("failed calling webhook", "no endpoints available for service")
# The provider's text for a condition that did not come in time (pulumi-kubernetes 4.32, provider/pkg/await).
_WAIT_SIGN = "timed out waiting"


@dataclass(frozen=True, slots=True)
class GraphAddress:
    """Where the graph's pods are found."""

    context: str
    namespace: str
    name: str

    def kubectl_arguments(self) -> list[str]:
        """Return the arguments of kubectl that list the pods."""
        label = f"nvidia.com/dynamo-graph-deployment-name={self.name}"
        return ["--context", self.context, "--namespace", self.namespace, "get", "pods", "--selector", label]


def diagnosis(address: GraphAddress, errors: Sequence[str]) -> str | None:
    """Return what to tell the person whose `up` failed at this graph; None where the provider said it all.

    Args:
        address: the graph.
        errors: what the provider said, newest first.

    """
    latest = errors[0] if errors else ""
    if any(sign in latest for sign in _WEBHOOK_SIGNS):
        # Through 1.2 the operator reports ready before its webhook answers (ai-dynamo/dynamo#12255).
        return (
            "The platform's webhook does not answer yet, so the graph could not be checked and was not made. "
            "Nothing is lost: run `pulumi up` again, which continues from here."
        )
    if _WAIT_SIGN not in latest:
        return None
    look = f"see: kubectl {' '.join(address.kubectl_arguments())}"
    pods = _pods(address)
    if pods is None:
        return f"Graph {address.name} is not ready; its pods say why; {look}"
    reasons = pod_reasons(pods)
    if not pods:
        reasons = ["it has no pods: the operator has not acted on it; its log says why"]
    elif not reasons:
        reasons = ["its pods are ready by now; running `pulumi up` again finishes"]
    listed = "\n".join(f"  {reason}" for reason in reasons)
    return f"Graph {address.name} is not ready:\n{listed}\n{look}"


def pod_reasons(pods: Sequence[dict[str, Any]]) -> list[str]:
    """Return one line for each pod that is not ready, with the reason that Kubernetes gives."""
    return [f"{pod['metadata']['name']}: {_reason(pod)}" for pod in pods if not _is_ready(pod)]


def _is_ready(pod: dict[str, Any]) -> bool:
    conditions = pod.get("status", {}).get("conditions") or []
    return any(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def _reason(pod: dict[str, Any]) -> str:
    status = pod.get("status", {})
    for condition in status.get("conditions") or []:
        if condition["type"] == "PodScheduled" and condition["status"] == "False":
            return f"{status.get('phase', 'Pending')}, {condition.get('message', 'not scheduled')}"
    for container in [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]:
        for state in ("waiting", "terminated"):
            found = (container.get("state") or {}).get(state)
            if found and found.get("reason") != "Completed":
                return (
                    f"{container['name']} {state}, {found.get('reason')} {found.get('message', '')}".rstrip()
                )
    return f"{status.get('phase', 'unknown')}, started but not ready"


def _pods(address: GraphAddress) -> list[dict[str, Any]] | None:
    kubectl = shutil.which("kubectl")
    if kubectl is None:
        return None
    command = [kubectl, *address.kubectl_arguments(), "--output", "json"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=_KUBECTL_SECONDS, check=True)
        return json.loads(answer.stdout)["items"]
    except (subprocess.SubprocessError, OSError, ValueError, KeyError):
        # The reason why `up` failed must not be hidden by a failure to look closer.
        return None
