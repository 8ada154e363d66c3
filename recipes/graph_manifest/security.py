"""Under which user and with which privileges the pods of a graph run."""

from collections.abc import Mapping
from typing import Any

from recipes.tensorrt_llm.kv_profiles import Privileges

IMAGE_USER = 1000
"""User `dynamo` of the runtime image (ai-dynamo/dynamo container/templates/dynamo_runtime.Dockerfile)."""

# A security context of one's own replaces the operator's, whose group 1000 lets the image's user read the
# cache. Without OnRootMismatch every start walks through the whole cache to set that group.
POD_SECURITY: Mapping[str, Any] = {"fsGroup": IMAGE_USER, "fsGroupChangePolicy": "OnRootMismatch"}


def container_security(privileges: Privileges | None, *, has_gpus: bool) -> dict[str, Any]:
    """Return the securityContext of a main container.

    Args:
        privileges: what the KV transport needs beyond an ordinary container; None for nothing.
        has_gpus: whether an engine runs in it.

    """
    if privileges and privileges.privileged:
        # The API server refuses allowPrivilegeEscalation: false beside it.
        return {**_user(privileges), "privileged": True}
    capabilities: dict[str, Any] = {"drop": ["ALL"]}
    if privileges and privileges.capabilities:
        capabilities["add"] = list(privileges.capabilities)
    security = {**_user(privileges), "allowPrivilegeEscalation": False, "capabilities": capabilities}
    if has_gpus:
        # No seccomp profile: without SYS_PTRACE containerd's forbids pidfd_getfd, by which the ranks of one
        # engine open each other's GPU memory on x86 (NVIDIA/TensorRT-LLM tensorrt_llm/_mnnvl_utils.py). The
        # capability acts for root alone; without root it would open the profile, and no more than that.
        return security
    return security | {"seccompProfile": {"type": "RuntimeDefault"}}


def _user(privileges: Privileges | None) -> dict[str, Any]:
    if privileges and privileges.run_as_root:
        return {"runAsUser": 0}
    return {"runAsNonRoot": True, "runAsUser": IMAGE_USER}
