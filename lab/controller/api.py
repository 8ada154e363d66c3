"""The few calls that the stand-in controllers make, on plain JSON objects."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import aiohttp
from kubernetes.aio.client import ApiClient, Configuration
from kubernetes.aio.config import load_kube_config

from lab.environment import CONTEXT
from lab.errors import LabError
from lab.kubeconfig import refuse_foreign_endpoint

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

Manifest = dict[str, Any]

# The API server's own names are the kind in small letters with an s; discovery would cost a round trip.
_OTHER_PLURALS = {"Logs": "logs", "StorageClass": "storageclasses"}

_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"
_YAML = "application/yaml"
_JSON = "application/json"
_TIMEOUT = aiohttp.ClientTimeout(total=30)
# A watch is quiet for as long as nothing changes.
_WATCH_TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=5)

HTTP_NOT_FOUND = 404
_HTTP_ERROR = 400
_HTTP_UNAVAILABLE = 503
# Said of any path that is not served yet, in the first seconds of an API server: custom kinds come last
# (k8s.io/apiserver pkg/util/notfoundhandler). The object may well exist.
_NOT_INSTALLED_YET = "before all known HTTP paths have been installed"


class ApiError(Exception):
    """The API server refused a request; `status` is the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


FAILURES = (ApiError, aiohttp.ClientError, OSError, TimeoutError)
"""What a request may raise: a refusal, or no answer."""


@asynccontextmanager
async def connected(kubeconfig: Path, field_manager: str) -> AsyncIterator[KubernetesApi]:
    """The lab's API server.

    Raises LabError when the file or the context is missing, or when it leads off this machine.
    """
    if not kubeconfig.is_file():
        raise LabError(f"there is no kubeconfig {kubeconfig}; is the lab up?")
    refuse_foreign_endpoint(kubeconfig, CONTEXT)
    # A proxy of the surrounding shell would carry the cluster's credentials off this machine.
    settings = Configuration(client_session_kwargs={"trust_env": False})
    await load_kube_config(str(kubeconfig), CONTEXT, settings, persist_config=False)
    async with ApiClient(settings) as client:
        yield KubernetesApi(client, field_manager)


class KubernetesApi:
    """Reads and writes objects with one identity."""

    def __init__(self, client: ApiClient, field_manager: str) -> None:
        self._client = client
        self._field_manager = field_manager

    async def get(
        self, api_version: str, kind: str, name: str, namespace: str | None = None
    ) -> Manifest | None:
        """The object, or None where it does not exist."""
        try:
            return await self._request("GET", _path(api_version, kind, namespace, name))
        except ApiError as error:
            if error.status == HTTP_NOT_FOUND:
                return None
            raise

    async def list(
        self,
        api_version: str,
        kind: str,
        namespace: str | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> list[Manifest]:
        """The objects with these labels, in one namespace or in all; none where the kind does not exist."""
        selector = ",".join(f"{key}={value}" for key, value in (labels or {}).items())
        items, _ = await self.list_at(api_version, kind, namespace, selector)
        return items

    async def list_at(
        self, api_version: str, kind: str, namespace: str | None = None, labels: str = ""
    ) -> tuple[list[Manifest], str]:
        """The same with the version from which to watch, "" where the kind does not exist."""
        query = {"labelSelector": labels} if labels else {}
        try:
            answer = await self._request("GET", _path(api_version, kind, namespace), query)
        except ApiError as error:
            if error.status == HTTP_NOT_FOUND:
                return [], ""
            raise
        named = {"apiVersion": api_version, "kind": kind}
        return [named | item for item in answer["items"]], answer["metadata"]["resourceVersion"]

    async def watch(
        self, api_version: str, kind: str, version: str, labels: str = ""
    ) -> AsyncIterator[tuple[str, Manifest]]:
        """What happens to the objects after that version, until the API server ends the watch.

        ApiError 410 where the version is too old.
        """
        query = {"watch": "true", "resourceVersion": version} | ({"labelSelector": labels} if labels else {})
        url = f"{self._client.configuration.host}{_path(api_version, kind)}?{urlencode(query)}"
        answer = await self._client.rest_client.request("GET", url, _request_timeout=_WATCH_TIMEOUT)
        async with answer.response as response:
            if response.status >= _HTTP_ERROR:
                raise ApiError(response.status, _message(await response.text()))
            async for line in response.content:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    raise ApiError(event["object"]["code"], event["object"].get("message", ""))
                yield event["type"], event["object"]

    async def create(self, manifest: Manifest) -> Manifest:
        """Creates the object; ApiError 409 where one of that name exists."""
        metadata = manifest["metadata"]
        path = _path(manifest["apiVersion"], manifest["kind"], metadata.get("namespace"))
        query = {"fieldManager": self._field_manager}
        # As YAML, which the API server writes anew: JSON it keeps as it came in opaque device parameters, and
        # a later patch of anything else in the object would look like a change of that immutable field.
        return await self._request("POST", path, query, json.dumps(manifest), _YAML)

    async def apply(self, manifest: Manifest, field_manager: str | None = None) -> Manifest:
        """Server-side apply, taking over contested fields as controllers do."""
        query = {"fieldManager": field_manager or self._field_manager, "force": "true"}
        return await self._request("PATCH", _path_of(manifest), query, manifest, _APPLY)

    async def merge_patch(self, manifest: Manifest, changes: Manifest) -> Manifest:
        """JSON merge patch of the object that the manifest names."""
        query = {"fieldManager": self._field_manager}
        return await self._request("PATCH", _path_of(manifest), query, changes, _MERGE)

    async def merge_patch_status(self, manifest: Manifest, status: Mapping[str, Any]) -> Manifest:
        """JSON merge patch of the status; ApiError 409 where another object bears the name by now."""
        changes = {"metadata": {"uid": manifest["metadata"]["uid"]}, "status": status}
        query = {"fieldManager": self._field_manager}
        return await self._request("PATCH", _path_of(manifest) + "/status", query, changes, _MERGE)

    async def create_token(self, namespace: str, account: str) -> str:
        """A token of a service account, good for an hour."""
        path = _path("v1", "ServiceAccount", namespace, account) + "/token"
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        answer = await self._request("POST", path, None, request)
        token: str = answer["status"]["token"]
        return token

    async def replace_status(self, manifest: Manifest) -> Manifest:
        """Writes the status of exactly the object that was read; ApiError 409 where it has changed since."""
        return await self._request("PUT", _path_of(manifest) + "/status", None, manifest)

    async def delete(self, manifest: Manifest, grace_seconds: int | None = None) -> None:
        """Background deletion; fine where the object is gone. 0 seconds asks no kubelet."""
        query = {"propagationPolicy": "Background"}
        if grace_seconds is not None:
            query["gracePeriodSeconds"] = str(grace_seconds)
        try:
            await self._request("DELETE", _path_of(manifest), query)
        except ApiError as error:
            if error.status != HTTP_NOT_FOUND:
                raise

    async def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Manifest | str | None = None,
        content_type: str = _JSON,
    ) -> Manifest:
        url = f"{self._client.configuration.host}{path}" + (f"?{urlencode(query)}" if query else "")
        headers = {"Content-Type": content_type}
        await self._client.update_params_for_auth(headers, [], ["BearerToken"], path, method, body)
        answer = await self._client.rest_client.request(
            method, url, headers=headers, body=body, _request_timeout=_TIMEOUT
        )
        text = (await answer.read()).decode()
        if _NOT_INSTALLED_YET in text:
            raise ApiError(_HTTP_UNAVAILABLE, f"{method} {path}: the API server has only just started")
        if answer.status >= _HTTP_ERROR:
            raise ApiError(answer.status, _message(text) or f"{method} {path}: HTTP {answer.status}")
        read: Manifest = json.loads(text)
        return read


def _message(text: str) -> str:
    """What a refusal says; "" where it is no Status, as for a group of which nothing is defined yet."""
    try:
        answer: Any = json.loads(text)
    except ValueError:
        return ""
    return answer.get("message", "") if isinstance(answer, dict) else ""


def _path_of(manifest: Manifest) -> str:
    metadata = manifest["metadata"]
    return _path(manifest["apiVersion"], manifest["kind"], metadata.get("namespace"), metadata["name"])


def _path(api_version: str, kind: str, namespace: str | None = None, name: str | None = None) -> str:
    path = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
    if namespace is not None:
        path += f"/namespaces/{namespace}"
    path += "/" + _OTHER_PLURALS.get(kind, f"{kind.lower()}s")
    return path if name is None else f"{path}/{name}"
