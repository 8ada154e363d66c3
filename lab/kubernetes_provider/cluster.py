"""One API server: objects by kind and name, with the query parameters that the operations need."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import urllib3
from kubernetes import client, config

from lab.kubernetes_provider.errors import NoMatchError, StatusError, UnreachableError

if TYPE_CHECKING:
    from pathlib import Path

    from lab.kubernetes_provider.kubeconfig import Target

APPLY_PATCH = "application/apply-patch+yaml"
JSON_PATCH = "application/json-patch+json"
_CONNECT_SECONDS = 10.0
_READ_SECONDS = 60.0
_CONNECTIONS = 64
_FIRST_ERROR_STATUS = 400

Manifest = dict[str, Any]


@dataclass(frozen=True)
class Mapping:
    """Where the API server serves a kind."""

    base: str
    plural: str
    namespaced: bool

    def collection(self, namespace: str | None) -> str:
        """The path of all objects of the kind, in one namespace where it has namespaces."""
        if not self.namespaced or namespace is None:
            return f"{self.base}/{self.plural}"
        return f"{self.base}/namespaces/{quote(namespace, safe='')}/{self.plural}"

    def item(self, namespace: str | None, name: str) -> str:
        """The path of one object."""
        return f"{self.collection(namespace)}/{quote(name, safe='')}"


class Cluster:
    """A connection; discovery is kept in memory, and only for kinds that were found."""

    def __init__(self, chosen: Target, private_folder: Path, timeout_seconds: float | None = None) -> None:
        # Failed connections are not retried here: each operation has its own rules for that.
        settings = client.Configuration(retries=False)
        settings.connection_pool_maxsize = _CONNECTIONS
        self._client = config.new_client_from_config_dict(
            chosen.config,
            persist_config=False,
            temp_file_path=str(private_folder),
            client_configuration=settings,
        )
        _expect_credentials(chosen, self._client.configuration)
        # A proxy of the surrounding shell would carry the cluster's credentials off this machine.
        self._client.configuration.proxy = None
        self._timeout = timeout_seconds or _READ_SECONDS
        self._mappings: dict[tuple[str, str], Mapping] = {}
        self._lock = threading.Lock()

    def version(self) -> Manifest:
        """The server's version. Raises UnreachableError."""
        return self.request("GET", "/version")

    def mapping(self, api_version: str, kind: str) -> Mapping:
        """Where the kind is served now. Raises NoMatchError; a miss is asked again every time."""
        with self._lock:
            found = self._mappings.get((api_version, kind))
        if found is not None:
            return found
        base = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        try:
            resources = self.request("GET", base).get("resources", [])
        except StatusError as error:
            if error.is_not_found:
                raise NoMatchError(api_version, kind) from error
            raise
        for resource in resources:
            if "/" not in resource["name"]:
                served = Mapping(base, resource["name"], bool(resource["namespaced"]))
                with self._lock:
                    self._mappings[api_version, resource["kind"]] = served
        with self._lock:
            found = self._mappings.get((api_version, kind))
        if found is None:
            raise NoMatchError(api_version, kind)
        return found

    def forget_mappings(self) -> None:
        """Asks for every kind anew, as after a change of a CustomResourceDefinition."""
        with self._lock:
            self._mappings.clear()

    def get(self, manifest: Manifest) -> Manifest:
        """The live object of the manifest's kind, namespace and name."""
        return self.request("GET", self._item(manifest))

    def create(self, manifest: Manifest, *, field_manager: str, dry_run: bool) -> Manifest:
        """POST. Unknown fields are refused here, where the vendor's plugin prints a warning."""
        mapping = self.mapping(manifest["apiVersion"], manifest["kind"])
        query = {"fieldManager": field_manager, "fieldValidation": "Strict", **_dry_run(dry_run)}
        path = mapping.collection(namespace_of(manifest))
        return self.request("POST", path, query=query, body=manifest)

    def replace(self, manifest: Manifest, *, field_manager: str, dry_run: bool) -> Manifest:
        """PUT."""
        query = {"fieldManager": field_manager, "fieldValidation": "Strict", **_dry_run(dry_run)}
        return self.request("PUT", self._item(manifest), query=query, body=manifest)

    def apply(self, manifest: Manifest, *, field_manager: str, force: bool, dry_run: bool) -> Manifest:
        """Server-side apply; the API server refuses unknown fields by itself."""
        query = {"fieldManager": field_manager, "force": str(force).lower(), **_dry_run(dry_run)}
        return self.request(
            "PATCH", self._item(manifest), query=query, body=manifest, content_type=APPLY_PATCH
        )

    def patch_json(self, manifest: Manifest, operations: list[Manifest]) -> Manifest:
        """RFC 6902."""
        return self.request("PATCH", self._item(manifest), body=operations, content_type=JSON_PATCH)

    def delete(self, manifest: Manifest, *, propagation_policy: str) -> Manifest:
        """DELETE with no grace period of its own."""
        body = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation_policy}
        return self.request("DELETE", self._item(manifest), body=body)

    def list(self, api_version: str, kind: str, namespace: str | None, **query: str) -> list[Manifest]:
        """All objects of a kind in a namespace; `query` as in the API (labelSelector, fieldSelector)."""
        path = self.mapping(api_version, kind).collection(namespace)
        return self.request("GET", path, query=query).get("items") or []

    def find(self, api_version: str, kind: str, namespace: str | None, name: str) -> Manifest | None:
        """One object, None when it does not exist."""
        metadata = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
        try:
            return self.get({"apiVersion": api_version, "kind": kind, "metadata": metadata})
        except StatusError as error:
            if error.is_not_found:
                return None
            raise

    def request(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, str] | None = None,
        body: Any = None,
        content_type: str = "application/json",
    ) -> Manifest:
        """One HTTP request. Raises StatusError for a refusal and UnreachableError for no answer."""
        headers = {"Accept": "application/json", "Content-Type": content_type}
        self._client.update_params_for_auth(headers, [], ["BearerToken"], path, method, body)
        url = f"{self._client.configuration.host}{path}" + (f"?{urlencode(query)}" if query else "")
        sent = json.dumps(body) if content_type == APPLY_PATCH else body
        try:
            response = self._client.rest_client.request(
                method, url, headers=headers, body=sent, _request_timeout=(_CONNECT_SECONDS, self._timeout)
            )
            data = response.read()
        except (client.ApiException, urllib3.exceptions.HTTPError, OSError) as error:
            raise UnreachableError(str(error)) from error
        if response.status >= _FIRST_ERROR_STATUS:
            raise StatusError.from_response(response.status, data)
        return json.loads(data)

    def _item(self, manifest: Manifest) -> str:
        mapping = self.mapping(manifest["apiVersion"], manifest["kind"])
        return mapping.item(namespace_of(manifest), manifest["metadata"]["name"])


def namespace_of(manifest: Manifest) -> str:
    """The namespace that a namespaced object lies in."""
    return manifest.get("metadata", {}).get("namespace") or "default"


def _expect_credentials(chosen: Target, settings: client.Configuration) -> None:
    """Raises ValueError where the user's command gave nothing: the client would go on as nobody."""
    command = (chosen.config["users"][0]["user"].get("exec") or {}).get("command")
    if command and not settings.cert_file and not settings.api_key:
        raise ValueError(f"getting credentials: exec: executable {command} failed")


def _dry_run(wanted: bool) -> dict[str, str]:
    return {"dryRun": "All"} if wanted else {}
