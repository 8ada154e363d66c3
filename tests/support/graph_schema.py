"""The operator's own schema of a graph, as strict as a server-side apply with field validation."""

from __future__ import annotations

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from lab.custom_resources import custom_resource_definition


def schema_errors(spec: dict[str, Any]) -> list[str]:
    """What the API server would refuse or drop of the spec, one line each."""
    errors = _validator().iter_errors({"spec": spec})
    return sorted(f"{'.'.join(str(key) for key in error.path)}: {error.message}" for error in errors)


@cache
def _validator() -> Draft202012Validator:
    definition = custom_resource_definition("dynamographdeployment", "dynamo-1.2", "v1beta1")
    [version] = definition["spec"]["versions"]
    return Draft202012Validator(_strict(version["schema"]["openAPIV3Schema"]))


def _strict(schema: Any) -> Any:
    """The schema in which a field that it does not name is an error: the server drops such a field."""
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: _strict(value) for key, value in schema.items()}
    open_ended = schema.get("x-kubernetes-preserve-unknown-fields") or "additionalProperties" in schema
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object" and not open_ended:
        strict["additionalProperties"] = False
    return strict
