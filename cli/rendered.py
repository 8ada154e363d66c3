"""A resource graph as YAML documents, the same bytes for the same graph."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cli.gitops_annotations import adapt
from cli.helm_release import HelmStyle, release_documents
from cli.hidden_values import with_unknowns_marked, without_secrets
from cli.secret_document import secret_document
from cli.yaml_text import as_comment, to_yaml
from resource_graph import Resource, ResourceGraph, Value, has_unknown
from resource_graph.urns import RELEASE_TYPE

MARK = "# Written by `dynamo-stack render`; changes are overwritten."


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """One document, ending in a newline."""

    name: str
    """For a file: kind and name in lower case."""
    text: str


def render_graph(graph: ResourceGraph, helm: HelmStyle = HelmStyle.COMMENT) -> list[RenderedDocument]:
    """Every Kubernetes object and Helm release, in the order in which the engine creates them."""
    return [
        RenderedDocument(re.sub(r"[^a-z0-9.-]+", "-", name.lower()), text)
        for resource in graph.in_creation_order()
        for name, text in _documents(resource, helm)
    ]


def _documents(resource: Resource, helm: HelmStyle) -> Sequence[tuple[str, str]]:
    if resource.type == RELEASE_TYPE:
        return release_documents(resource, helm)
    if resource.kind is None:
        return []
    name = resource.object_name if isinstance(resource.object_name, str) else resource.name
    return [(f"{resource.kind}-{name}", _object_text(resource))]


def _object_text(resource: Resource) -> str:
    if resource.kind == "Secret":
        return secret_document(resource)
    shown = without_secrets(resource)
    if shown != resource.inputs:
        return _shown(f"This {resource.kind} holds secret values, so it is shown and not written.", shown)
    if has_unknown(resource.inputs):
        return _shown(
            f"This {resource.kind} has values that only the update knows.", with_unknowns_marked(shown)
        )
    adapted = adapt(shown)
    return as_comment("\n".join(adapted.notes)) + to_yaml(adapted.content)


def _shown(heading: str, content: Mapping[str, Value]) -> str:
    return as_comment(f"{heading}\n{to_yaml(content)}")
