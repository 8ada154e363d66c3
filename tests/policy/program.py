"""A program for the real engine whose cluster is not known yet, so that a preview calls none."""

import asyncio
from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes

from resource_graph import ResourceGraph
from resource_graph.recorder import record
from tests.rules.judging import register

PROJECT = "toy"
STACK = "toy"


def program(text: str, *, depends: bool = True) -> None:
    """Register the objects of the text, through a provider whose kubeconfig only the update knows."""
    provider = kubernetes.Provider("cluster", kubeconfig=_known_later(""))
    register(text, options=pulumi.ResourceOptions(providers=[provider]), depends=depends)


def recorded(text: str) -> ResourceGraph:
    """What the recorder makes of the same program."""
    return record(lambda: program(text), project=PROJECT, stack=STACK)


def _known_later(value: str) -> pulumi.Output[str]:
    def ready(result: Any) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.set_result(result)
        return future

    return pulumi.Output(set(), ready(value), ready(result=False))
