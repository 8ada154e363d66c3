"""A container of a pod in the words of a compose file, so that both come from one description."""

from collections.abc import Mapping
from typing import Any

from compose.text import byte_size


def service_of(container: Mapping[str, Any]) -> dict[str, Any]:
    """Return image, command, variables, user and privileges; mounts are the caller's."""
    service: dict[str, Any] = {"image": container["image"]}
    for key, name in (("command", "entrypoint"), ("args", "command"), ("workingDir", "working_dir")):
        if key in container:
            service[name] = container[key]
    service["environment"] = {each["name"]: each["value"] for each in container["env"]}
    memory = container.get("resources", {}).get("limits", {}).get("memory")
    if memory:
        service["mem_limit"] = byte_size(memory)
    return service | _security(container["securityContext"])


def _security(context: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if "runAsUser" in context:
        fields["user"] = str(context["runAsUser"])
    if context.get("privileged"):
        return {**fields, "privileged": True}
    capabilities = context.get("capabilities", {})
    for key, name in (("drop", "cap_drop"), ("add", "cap_add")):
        if key in capabilities:
            fields[name] = capabilities[key]
    if context.get("allowPrivilegeEscalation") is False:
        fields["security_opt"] = ["no-new-privileges:true"]
    return fields
