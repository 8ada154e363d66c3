"""The few calls that the stand-in controllers make, on plain JSON objects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import aiohttp

if TYPE_CHECKING:
    from collections.abc import Mapping

    import kopf

Manifest = dict[str, Any]

# Only what the controllers write or read; discovery would cost a round trip at every start.
_PLURALS = {
    "ComputeDomain": "computedomains",
    "CustomResourceDefinition": "customresourcedefinitions",
    "Deployment": "deployments",
    "EndpointSlice": "endpointslices",
    "Exec": "execs",
    "DynamoComponentDeployment": "dynamocomponentdeployments",
    "DynamoGraphDeployment": "dynamographdeployments",
    "Event": "events",
    "Lease": "leases",
    "Logs": "logs",
    "MutatingWebhookConfiguration": "mutatingwebhookconfigurations",
    "ConfigMap": "configmaps",
    "Node": "nodes",
    "PersistentVolume": "persistentvolumes",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "Pod": "pods",
    "PortForward": "portforwards",
    "ResourceClaim": "resourceclaims",
    "ResourceClaimTemplate": "resourceclaimtemplates",
    "ResourceSlice": "resourceslices",
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "Secret": "secrets",
    "Service": "services",
    "ServiceAccount": "serviceaccounts",
    "StatefulSet": "statefulsets",
    "StorageClass": "storageclasses",
    "ValidatingWebhookConfiguration": "validatingwebhookconfigurations",
}

_APPLY = "application/apply-patch+yaml"
_MERGE = "application/merge-patch+json"
_TIMEOUT = aiohttp.ClientTimeout(total=30)

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


class KubernetesApi:
    """Reads and writes objects with one identity; use as an asynchronous context manager."""

    def __init__(self, connection: kopf.ConnectionInfo, field_manager: str) -> None:
        self._connection = connection
        self._field_manager = field_manager
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> KubernetesApi:
        self._session = aiohttp.ClientSession(
            self._connection.server,
            connector=aiohttp.TCPConnector(ssl=self._connection.as_ssl_context()),
            headers=self._connection.as_http_headers(),
            timeout=_TIMEOUT,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

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
        self, api_version: str, kind: str, namespace: str | None = None, labels: dict[str, str] | None = None
    ) -> list[Manifest]:
        """The objects with these labels, in one namespace or in all; none where the kind does not exist."""
        query = (
            {"labelSelector": ",".join(f"{key}={value}" for key, value in labels.items())} if labels else {}
        )
        try:
            answer = await self._request("GET", _path(api_version, kind, namespace), query)
        except ApiError as error:
            if error.status == HTTP_NOT_FOUND:
                return []
            raise
        items: list[Manifest] = answer["items"]
        return items

    async def create(self, manifest: Manifest) -> Manifest:
        """Creates the object; ApiError 409 where one of that name exists."""
        metadata = manifest["metadata"]
        path = _path(manifest["apiVersion"], manifest["kind"], metadata.get("namespace"))
        query = {"fieldManager": self._field_manager}
        return await self._request("POST", path, query, manifest, "application/json")

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
        answer = await self._request("POST", path, None, request, "application/json")
        token: str = answer["status"]["token"]
        return token

    async def replace_status(self, manifest: Manifest) -> Manifest:
        """Writes the status of exactly the object that was read; ApiError 409 where it has changed since."""
        return await self._request("PUT", _path_of(manifest) + "/status", None, manifest, "application/json")

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

    async def is_answering(self) -> bool:
        """Whether anything at the server's address speaks Kubernetes to us."""
        try:
            await self._request("GET", "/version")
        except (ApiError, OSError, aiohttp.ClientError, TimeoutError):
            return False
        return True

    async def _request(
        self,
        method: str,
        path: str,
        query: dict[str, str] | None = None,
        body: Manifest | None = None,
        content_type: str | None = None,
    ) -> Manifest:
        if self._session is None:
            raise RuntimeError("use KubernetesApi as an asynchronous context manager")
        headers = {"Content-Type": content_type} if content_type else {}
        # Compact, as the API server writes: it keeps opaque device parameters byte for byte, and a patch of
        # anything else in the object would otherwise look like a change of that immutable field.
        data = json.dumps(body, separators=(",", ":")) if body is not None else None
        async with self._session.request(method, path, params=query, data=data, headers=headers) as response:
            text = await response.text()
        if _NOT_INSTALLED_YET in text:
            raise ApiError(_HTTP_UNAVAILABLE, f"{method} {path}: the API server has only just started")
        if response.status >= _HTTP_ERROR:
            raise ApiError(response.status, _message(text) or f"{method} {path}: HTTP {response.status}")
        answer: Manifest = json.loads(text)
        return answer


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
    path += f"/{_PLURALS[kind]}"
    return path if name is None else f"{path}/{name}"
