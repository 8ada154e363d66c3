"""One API server: objects by kind and name, with the query parameters that the operations need."""

from __future__ import annotations

import json
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
# To connect, and for an answer.
_TIMEOUT_SECONDS = (10.0, 60.0)
_CONNECTIONS = 64
_FIRST_ERROR_STATUS = 400

Manifest = dict[str, Any]


@dataclass(frozen=True)
class Mapping:
    """Where the API server serves a kind."""

    base: str
    plural: str
    namespaced: bool

    def path(self, namespace: str | None, name: str | None = None) -> str:
        """The path of one object or of all objects of the kind, in one namespace where it has namespaces."""
        of_namespace = ("namespaces", namespace) if self.namespaced and namespace is not None else ()
        words = (*of_namespace, self.plural, *([name] if name is not None else []))
        return "/".join((self.base, *(quote(word, safe="") for word in words)))


class Cluster:
    """A connection; discovery is kept in memory, and only for kinds that were found."""

    def __init__(self, chosen: Target, private_folder: Path) -> None:
        # Failed connections are not retried here: each operation has its own rules for that.
        settings = client.Configuration(retries=False)
        settings.connection_pool_maxsize = _CONNECTIONS
        self._client = config.new_client_from_config_dict(
            chosen.config,
            persist_config=False,
            temp_file_path=str(private_folder),
            client_configuration=settings,
        )
        configured = self._client.configuration
        command = (chosen.user.get("exec") or {}).get("command")
        # Where the user's command gave nothing, the client would go on as nobody.
        if command and not configured.cert_file and not configured.api_key:
            raise ValueError(f"getting credentials: exec: executable {command} failed")
        # A proxy of the surrounding shell would carry the cluster's credentials off this machine.
        configured.proxy = None
        self._mappings: dict[tuple[str, str], Mapping] = {}

    def mapping(self, api_version: str, kind: str) -> Mapping:
        """Where the kind is served now. Raises NoMatchError; a miss is asked again every time."""
        if (api_version, kind) not in self._mappings:
            base = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
            try:
                resources = self.request("GET", base).get("resources", [])
            except StatusError as error:
                if error.is_not_found:
                    raise NoMatchError(api_version, kind) from error
                raise
            self._mappings |= {
                (api_version, each["kind"]): Mapping(base, each["name"], bool(each["namespaced"]))
                for each in resources
                if "/" not in each["name"]
            }
        if (api_version, kind) not in self._mappings:
            raise NoMatchError(api_version, kind)
        return self._mappings[api_version, kind]

    def get(self, manifest: Manifest) -> Manifest:
        """The live object of the manifest's kind, namespace and name."""
        return self.request("GET", self._item(manifest))

    def create(self, manifest: Manifest, *, field_manager: str, dry_run: bool) -> Manifest:
        """POST. Unknown fields are refused here, where the vendor's plugin prints a warning."""
        mapping = self.mapping(manifest["apiVersion"], manifest["kind"])
        query = {"fieldManager": field_manager, "fieldValidation": "Strict", **_dry_run(dry_run)}
        return self.request("POST", mapping.path(_namespace_of(manifest)), query=query, body=manifest)

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
        path = self.mapping(api_version, kind).path(namespace)
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
                method, url, headers=headers, body=sent, _request_timeout=_TIMEOUT_SECONDS
            )
            data = response.read()
        except (client.ApiException, urllib3.exceptions.HTTPError, OSError) as error:
            raise UnreachableError(str(error)) from error
        if response.status >= _FIRST_ERROR_STATUS:
            raise StatusError.from_response(response.status, data)
        return json.loads(data)

    def _item(self, manifest: Manifest) -> str:
        mapping = self.mapping(manifest["apiVersion"], manifest["kind"])
        return mapping.path(_namespace_of(manifest), manifest["metadata"]["name"])


def _namespace_of(manifest: Manifest) -> str:
    return manifest.get("metadata", {}).get("namespace") or "default"


def _dry_run(wanted: bool) -> dict[str, str]:
    return {"dryRun": "All"} if wanted else {}
