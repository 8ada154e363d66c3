"""Changes to the graphs of the shipped stacks, in the words of a person who edits a manifest."""

from typing import Any

from tests.rules.edits import Edit, put, text
from tests.rules.edits import variable as set_variable
from tests.rules.names import GRAPH, POD, RUNTIME, VLLM_ARGS


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


def runtime(service: str, tag: str) -> Edit:
    """Give the service TensorRT-LLM's runtime image of this tag."""
    return main(service, "image", f"{RUNTIME}:{tag}")


def vllm_argument(index: int, old: str, new: str) -> Edit:
    """Replace a part of an argument of vLLM's worker."""
    return text(GRAPH, f"{VLLM_ARGS}[{index}]", old, new)


def on_product(product: str) -> Edit:
    """Let the pods of a Deployment select x86 nodes with this GPU."""
    labels = {"kubernetes.io/arch": "amd64", "nvidia.com/gpu.product": product}
    return put("Deployment", f"{POD}.nodeSelector", labels)


def variable(service: str, name: str, value: str) -> Edit:
    """Give the service's main container a variable."""
    return set_variable(GRAPH, main_container(service, "env"), name, value)


def of_service(service: str, path: str, value: Any) -> Edit:
    """Set a field of the service."""
    return put(GRAPH, f"spec.services.{service}.{path}", value)
