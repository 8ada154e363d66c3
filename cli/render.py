"""`dynamo-stack render`: a resource graph as YAML documents, the same bytes for the same graph."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cli.gitops import HelmStyle, object_document, release_documents
from cli.output import say
from cli.own_files import is_own, write_files
from cli.stack_argument import StackArgument
from cli.yaml_text import as_comment, secret_document, shown_inputs, to_yaml, why_not_written
from operations.project import recorded_stack, resolved_stack
from recipes.benchmark_job import benchmark_job
from resource_graph import Resource, ResourceGraph, Value
from resource_graph.urns import RELEASE_TYPE
from stacks.plan.stack_plan import StackPlan, in_phase, waited_for
from stacks.updates.planned_update import waiting_text

MARK = "# Written by `dynamo-stack render`; changes are overwritten."


_KUSTOMIZATION = "kustomization.yaml"


def render_graph(graph: ResourceGraph, helm: HelmStyle = "comment") -> list[tuple[str, str]]:
    """Every Kubernetes object and Helm release, in the order in which the engine creates them.

    Of each its kind and name in lower case, for the name of a file, and its text, which ends in a newline.
    """
    return [
        (re.sub(r"[^a-z0-9.-]+", "-", name.lower()), text)
        for resource in graph.in_creation_order()
        for name, text in _documents(resource, helm)
    ]


def render(
    stack: StackArgument,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="DIR", help="Write one file per object into this directory."),
    ] = None,
    helm: Annotated[
        HelmStyle,
        typer.Option(
            "--helm",
            metavar="argocd|flux",
            help="Write each Helm release as what Argo CD or Flux makes it from, instead of a comment.",
        ),
    ] = "comment",
    benchmark: Annotated[
        bool, typer.Option("--benchmark", help="Print the recipe's benchmark Job and nothing else.")
    ] = False,
) -> None:
    """Print the documents, or write one file each into the directory."""
    if not benchmark:
        _render(stack, to, helm)
    elif to is None:
        _render_benchmark(stack)
    else:
        # In a folder that is applied again and again the run would start again and again.
        raise typer.BadParameter(
            "--benchmark prints one Job; it has no place in a folder of a stack's objects"
        )


def _render(name: str, directory: Path | None, helm: HelmStyle) -> None:
    stack = resolved_stack(name)
    # Without its graph a file could be neither read nor handed to another tool: it is shown as it will be.
    documents = render_graph(recorded_stack(in_phase(stack, "active")), helm)
    _say_what_waits(stack)
    if directory is None:
        typer.echo("---\n".join(text for _, text in documents), nl=False)
        return
    files = _files(documents)
    write_files(directory, files, MARK, suggestion="move it, or name another folder")
    for stale in sorted(directory.glob("*.yaml")):
        # An object that left the stack must not be applied again; files of other people stay.
        if stale.name not in files and is_own(stale, MARK):
            stale.unlink()
    say(f"{len(documents)} files and {_KUSTOMIZATION} in {directory}")


def _render_benchmark(name: str) -> None:
    """Print the Job that measures the stack with the recipe's own benchmark."""
    stack = resolved_stack(name)
    placed = stack.serving.placed
    job = benchmark_job(placed)
    heading = (
        f"The benchmark of {placed.recipe.name} for {stack.name}: a run, not part of the stack.\n"
        f"It loads {placed.graph_name} as hard as the publisher does; apply it when nobody else is served.\n"
        "Delete the Job before the next run: its results stay on the model cache, a folder each."
    )
    typer.echo(as_comment(heading) + to_yaml(job), nl=False)


def _say_what_waits(stack: StackPlan) -> None:
    for nodes in waited_for(stack):
        graph = stack.serving.graph_name
        typer.echo(f"{graph} waits: {waiting_text(nodes)}. It is written as it is from then on.", err=True)


def _files(documents: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return each file's text by its name; the last one lists the others for kustomize."""
    numbered = {f"{number:02}-{name}.yaml": text for number, (name, text) in enumerate(documents, 1)}
    # Such a document stands for an object that somebody else has to bring.
    comments = [
        name for name, text in numbered.items() if all(line.startswith("#") for line in text.splitlines())
    ]
    # Kustomize sorts by kind of its own accord, which would put a graph before what it needs, and refuses a
    # file without an object (https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/sortoptions/).
    content: dict[str, Value] = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [name for name in numbered if name not in comments],
        "sortOptions": {"order": "fifo"},
    }
    note = f"Not listed, as each is a comment: {', '.join(comments)}" if comments else ""
    return {**numbered, _KUSTOMIZATION: as_comment(note) + to_yaml(content)}


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
    why = why_not_written(resource)
    if why is None:
        return object_document(resource.inputs)
    return as_comment(f"This {resource.kind} {why}.\n{to_yaml(shown_inputs(resource))}")
