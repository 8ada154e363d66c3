"""The Secrets that pods around a model name are there, with the keys that they take."""

from collections.abc import Iterator

from resource_graph import UNKNOWN, Resource, ResourceGraph, Value
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.once import once_per_graph
from rules.reading.pods.workers import environment_lists
from rules.reading.shapes import Undecided, field, mapping_at, mappings_at, text_at
from rules.reading.storage.model_users import ModelUser, read_model_users

_KIND = "Secret"


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    absent: dict[tuple[str, str], list[ModelUser]] = {}
    for user in _users(graph):
        namespace = user.resource.namespace
        try:
            for name in _names(user):
                if not graph.kubernetes_objects_named(_KIND, name, namespace):
                    absent.setdefault((str(namespace), name), []).append(user)
            yield from _check_keys(graph, user)
        except Undecided as reason:
            yield undecided(user.resource, user.name, str(reason))
    for (_, name), users in absent.items():
        needed_by = ", ".join(dict.fromkeys(user.name for user in users))
        yield undecided(
            users[0].resource, name, f"nothing that was read makes this Secret, which {needed_by} names"
        )


@once_per_graph
def _users(graph: ResourceGraph) -> tuple[ModelUser, ...]:
    users = [user for user in read_model_users(graph) if isinstance(user, ModelUser)]
    return tuple({user.template: user for user in users}.values())


def _names(user: ModelUser) -> Iterator[str]:
    """Of every Secret that the pod names; names that only the update knows are left out."""
    found: list[Value] = [each.get("name") for each in mappings_at(user.template.spec, "imagePullSecrets")]
    found += [field(volume, "secret", "secretName") for volume in mappings_at(user.template.spec, "volumes")]
    for source in mappings_at(user.container, "envFrom"):
        found.append(field(source, "secretRef", "name"))
    for variables in environment_lists(user.template, user.container):
        for variable in variables:
            source = mapping_at(variable, "valueFrom", "secretKeyRef")
            found.append(None if source.get("optional") is True else source.get("name"))
    if user.template.shape == "service":
        found.append(user.template.described_by.get("envFromSecret"))
    yield from dict.fromkeys(name for name in found if isinstance(name, str))


def _check_keys(graph: ResourceGraph, user: ModelUser) -> Iterator[Observation]:
    for variables in environment_lists(user.template, user.container):
        for variable in variables:
            source = mapping_at(variable, "valueFrom", "secretKeyRef")
            name, key = text_at(source, "name"), text_at(source, "key")
            if name is None or key is None or source.get("optional") is True:
                continue
            for secret in graph.kubernetes_objects_named(_KIND, name, user.resource.namespace):
                keys = _keys(secret)
                if keys is not None and key not in keys:
                    yield failed(
                        user.resource,
                        user.name,
                        f"takes {text_at(variable, 'name')} from key {key} of Secret {name}, which has "
                        f"{', '.join(sorted(keys)) or 'none'}",
                    )


def _keys(secret: Resource) -> set[str] | None:
    """None where only the update knows them."""
    parts = [secret.inputs.get(part) for part in ("data", "stringData")]
    if any(part is UNKNOWN for part in parts):
        return None
    return {key for part in ("data", "stringData") for key in mapping_at(secret.inputs, part)}


RULE = Rule(
    id="named-secrets-exist",
    title="The Secrets that pods around a model name are there, with the keys that they take",
    severity=Severity.ADVISORY,
    reason=(
        "A container whose Secret or key is missing waits in CreateContainerConfigError; without a pull "
        "secret its image may not be pulled."
    ),
    source="https://kubernetes.io/docs/concepts/configuration/secret/#using-secrets",
    lines=EVERY_RELEASE,
    fix="Create the Secret in the pods' namespace with that key, or drop the reference.",
    check=_check,
)
