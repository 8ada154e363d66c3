"""Compose projects of stacks, as tests look at them."""

from collections.abc import Mapping
from typing import Any

from compose.project import compose_project
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, resolved
from tests.support.shipped_stacks import served_settings


def two_aggregated() -> dict[str, Any]:
    """Settings of two workers of four GPUs on such a host."""
    settings = agg_gb200_settings()
    settings["nodePools"] = [{"name": "gb200", "instanceType": "p6-b200.48xlarge", "nodes": 1}]
    settings["serving"]["replicas"] = {"worker": 2}
    return settings


def without_dynamo() -> dict[str, Any]:
    """Settings of trtllm-serve on eight B200."""
    return served_settings("latency-b200")


def one_pod() -> dict[str, Any]:
    """Settings of a recipe whose prefill and decode share a pod."""
    return served_settings("disagg-b200-8gpu")


def one_pod_of_vllm() -> dict[str, Any]:
    """The same with vLLM."""
    return served_settings("vllm-disagg-h100")


WITH_DYNAMO = {
    "agg": agg_gb200_settings,
    "disagg": disagg_b200_settings,
    "one pod": one_pod,
    "one pod of vLLM": one_pod_of_vllm,
    "two workers": two_aggregated,
}
SETTINGS = {**WITH_DYNAMO, "server": without_dynamo}


def project(settings: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """The project of the stack with these settings: compose file, and files beside it."""
    return compose_project(resolved(dict(settings)))


def services(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Its services by name."""
    return dict(project(settings)[0]["services"])


def gpus(service: Mapping[str, Any]) -> list[str]:
    """The host's GPUs that a service asks for."""
    [device] = service["deploy"]["resources"]["reservations"]["devices"]
    return list(device["device_ids"])
