"""What stands in for a Secret: its value is never written, so somebody else must bring it."""

from collections.abc import Mapping

from cli.yaml_text import as_comment
from resource_graph import Resource

_PARTS = ("data", "stringData")


def secret_document(resource: Resource) -> str:
    """Return a comment with the Secret's name, its keys and three ways to bring it."""
    name = resource.object_name if isinstance(resource.object_name, str) else resource.name
    namespace = resource.namespace if isinstance(resource.namespace, str) else "default"
    parts = (resource.inputs.get(part) for part in _PARTS)
    keys = sorted({key for part in parts if isinstance(part, Mapping) for key in part})
    files = " ".join(f"--from-file={key}=FILE" for key in keys)
    lines = [
        f"This Secret holds secret values, so it is not written: {namespace}/{name}",
        f"type: {resource.inputs.get('type') or 'Opaque'}",
        f"keys: {', '.join(keys) or 'unknown'}",
        "Bring it before the next object is applied, by one of:",
        f"  kubectl create secret generic {name} --namespace {namespace} {files}".rstrip(),
        f"  External Secrets: an ExternalSecret in {namespace} with target.name {name} and these secretKeys",
        "  Sealed Secrets: the kubectl line with --dry-run=client --output yaml, piped into kubeseal",
    ]
    return as_comment("\n".join(lines))
