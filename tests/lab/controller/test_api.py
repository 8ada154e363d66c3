"""What the stand-in controllers make of an API server's answers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web
from kubernetes.aio.client import ApiClient, Configuration

from lab.controller.api import ApiError, KubernetesApi, connected
from lab.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path


def asked(answer: web.Response, question: Callable[[KubernetesApi], Awaitable[Any]]) -> Any:
    """What the question gets from a server that has one answer to everything."""

    async def ask() -> Any:
        async def handle(_: web.BaseRequest) -> web.Response:
            return answer

        runner = web.ServerRunner(web.Server(handle))
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        try:
            settings = Configuration(host=f"http://127.0.0.1:{runner.addresses[0][1]}")
            async with ApiClient(settings) as client:
                return await question(KubernetesApi(client, "test"))
        finally:
            await runner.cleanup()

    return asyncio.run(ask())


def test_a_kind_of_a_group_that_nothing_defines_yet_has_no_objects() -> None:
    # The API server's own answer for an unknown group, which is no JSON.
    plain = web.Response(status=404, text="404 page not found\n")
    assert asked(plain, lambda api: api.list("resource.nvidia.com/v1beta1", "ComputeDomain")) == []


def test_a_refusal_is_told_in_the_servers_words_where_it_has_some() -> None:
    refused = web.json_response({"kind": "Status", "message": "nodes is forbidden"}, status=403)
    with pytest.raises(ApiError, match="nodes is forbidden"):
        asked(refused, lambda api: api.list("v1", "Node"))
    with pytest.raises(ApiError, match="GET /api/v1/nodes: HTTP 502"):
        asked(web.Response(status=502, text="bad gateway"), lambda api: api.list("v1", "Node"))


def test_a_path_that_an_api_server_does_not_serve_yet_is_no_missing_object() -> None:
    text = "the request has been made before all known HTTP paths have been installed, please try again"
    for status in (404, 503):
        early = web.json_response({"kind": "Status", "message": text}, status=status)
        with pytest.raises(ApiError, match="has only just started"):
            asked(early, lambda api: api.get("nvidia.com/v1beta1", "DynamoGraphDeployment", "toy", "a"))


KUBECONFIG = """
clusters: [{name: c, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: u, user: {token: not-a-real-token}}]
contexts: [{name: dynamo-lab, context: {cluster: c, user: u}}]
"""


def test_a_cluster_that_is_not_this_machine_s_is_never_asked(tmp_path: Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"

    async def connect() -> None:
        async with connected(kubeconfig, "test"):
            pass

    with pytest.raises(LabError, match=str(kubeconfig)):
        asyncio.run(connect())
    kubeconfig.write_text(KUBECONFIG, encoding="utf-8")
    with pytest.raises(LabError) as refused:
        asyncio.run(connect())
    assert str(refused.value).startswith("context 'dynamo-lab' leads to https://10.0.0.1:6443, not to this")
    assert "not-a-real-token" not in str(refused.value)
