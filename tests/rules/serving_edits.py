"""Changes to the graphs of the shipped stacks, in the words of a person who edits a manifest."""

from typing import Any

from tests.rules.edits import Edit, add, document, put, text
from tests.rules.edits import variable as set_variable

GRAPH = "DynamoGraphDeployment"
PREFILL, DECODE, WORKER, FRONTEND = "TrtllmPrefillWorker", "TrtllmDecodeWorker", "TrtllmWorker", "Frontend"


def main_container(service: str, path: str) -> str:
    """The path to a field of the service's main container."""
    return f"spec.services.{service}.extraPodSpec.mainContainer.{path}"


def worker_flags(service: str, flags: str) -> Edit:
    """Give the worker's command further options."""
    before = " --dyn-reasoning-parser"
    return text(GRAPH, main_container(service, "args[0]"), before, f" {flags}{before}")


def command(service: str, old: str, new: str) -> Edit:
    """Replace a part of the service's start command."""
    return text(GRAPH, main_container(service, "args[0]"), old, new)


def main(service: str, path: str, value: Any) -> Edit:
    """Set a field of the service's main container."""
    return put(GRAPH, main_container(service, path), value)


def variable(service: str, name: str, value: str) -> Edit:
    """Give the service's main container a variable."""
    return set_variable(GRAPH, main_container(service, "env"), name, value)


def of_service(service: str, path: str, value: Any) -> Edit:
    """Set a field of the service."""
    return put(GRAPH, f"spec.services.{service}.{path}", value)


_SGLANG_PREFILL = "spec.components[1].podTemplate.spec"
SGLANG_FILE: tuple[Edit, ...] = (
    document(
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: sglang, namespace: gpt-oss}, "
        "data: {prefill.yaml: 'page-size: 1'}}"
    ),
    add(GRAPH, f"{_SGLANG_PREFILL}.volumes", {"name": "sglang", "configMap": {"name": "sglang"}}),
    add(
        GRAPH, f"{_SGLANG_PREFILL}.containers[0].volumeMounts", {"name": "sglang", "mountPath": "/etc/sglang"}
    ),
    add(GRAPH, f"{_SGLANG_PREFILL}.containers[0].args", "--config=/etc/sglang/prefill.yaml"),
)
"""Gives SGLang's prefill worker a file of its own settings, for `engine_file`."""
