"""A program marks its credentials, so that the engine encrypts and hides them."""

from collections.abc import Callable, Iterator

from resource_graph import UNKNOWN, Aspect, Resource, ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.program.secret_texts import credential_called, dotted, is_marked, leaves

_PROVIDER = "pulumi:providers:kubernetes"
_RELEASES = ("kubernetes:helm.sh/v3:Release", "kubernetes:helm.sh/v3:Chart", "kubernetes:helm.sh/v4:Chart")
_ANY_VALUE = "a value that nobody knows yet"
_IN_KUBECONFIG = ("client-key-data", "token:", '"token"')


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for resource in graph.kubernetes_objects("Secret"):
        for key in ("stringData", "data"):
            yield from _unmarked(resource, key, lambda _, __: "a value of a Secret")
    for release_type in _RELEASES:
        for resource in graph.of_type(release_type):
            yield from _unmarked(resource, "values", credential_called)
    for resource in graph.of_type(_PROVIDER):
        yield from _unmarked(resource, "kubeconfig", _kubeconfig_credential)
    for resource in graph.components():
        for key in resource.inputs:
            yield from _unmarked(resource, key, credential_called)


def _unmarked(
    resource: Resource, key: str, credential: Callable[[str, str], str | None]
) -> Iterator[Observation]:
    value: Value = resource.inputs.get(key)
    marked = resource.secret_paths or frozenset()
    for path, name, leaf in leaves(value, (key,), key):
        if is_marked(path, marked):
            continue
        if leaf is UNKNOWN and credential(name, _ANY_VALUE):
            yield undecided(
                resource, resource.name, f"{dotted(path)} is not known here, and not marked as secret"
            )
        elif isinstance(leaf, str) and leaf and (kind := credential(name, leaf)) is not None:
            yield failed(resource, resource.name, f"{dotted(path)} holds {kind} and is not marked as secret")


def _kubeconfig_credential(_: str, text: str) -> str | None:
    return "credentials of a cluster" if any(mark in text for mark in _IN_KUBECONFIG) else None


RULE = Rule(
    id="secrets-marked-secret",
    title="The program marks its credentials as secret",
    severity=Severity.MANDATORY,
    reason=(
        "What is not marked stands in plain in the stack's state, in every backup of it and in the output of "
        "each preview."
    ),
    source="https://www.pulumi.com/docs/iac/concepts/secrets/",
    lines=EVERY_RELEASE,
    fix="Read it with config.require_secret, or wrap it in pulumi.Output.secret.",
    check=_check,
    reads=frozenset({Aspect.SECRETS}),
)
