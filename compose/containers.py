"""A container of a pod in the words of a compose file: texts, health check and what else it is told."""

from collections.abc import Mapping, Sequence
from typing import Any, cast


class Interpolated(str):
    """A text whose ${…} Compose replaces."""

    __slots__ = ()


def escaped(value: Any) -> Any:
    """Return the value with every text in it as Compose must read it to give it back unchanged."""
    if isinstance(value, Interpolated):
        return str(value)
    if isinstance(value, str):
        return value.replace("$", "$$")
    if isinstance(value, Mapping):
        return {key: escaped(item) for key, item in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, Sequence):
        return [escaped(item) for item in cast("Sequence[Any]", value)]
    return value


def byte_size(quantity: str) -> str:
    """Return a Kubernetes quantity such as 80Gi as Compose writes it: there g is 2**30 bytes too."""
    return quantity.removesuffix("i").lower()


# Python ends with an error by itself where nothing answers, or not with success.
_ASK = (
    "import sys; from urllib.request import urlopen; "
    "sys.exit(any(text not in urlopen(url, timeout=5).read().decode() "
    "for url, text in zip(sys.argv[1::2], sys.argv[2::2])))"
)


def answers(texts: dict[str, str], start_seconds: int) -> dict[str, Any]:
    """Return a health check that passes once each URL answers with a text that has the other in it.

    Args:
        texts: URL -> what its answer must contain.
        start_seconds: so long failures do not count, while the model is loaded.

    """
    words = [word for pair in texts.items() for word in pair]
    return {**ran("CMD", "python3", "-c", _ASK, *words), "start_period": f"{start_seconds}s"}


def ran(*test: str) -> dict[str, Any]:
    """Return a health check that passes when the command does."""
    return {"test": list(test), "interval": "10s", "timeout": "10s", "retries": 6}


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
