"""A changed engine file reaches the pods that read it."""

import re
from collections.abc import Iterator

from resource_graph import UNKNOWN, Resource, ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed, undecided
from rules.reading.program.references import dynamo_graphs
from rules.reading.shapes import Undecided

# Kustomize appends ten characters of its own alphabet, Pulumi eight hexadecimal digits, this project ten.
_HASHED = re.compile(r".*-(?=[0-9a-z]*[0-9])[0-9a-z]{8,}")


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    for resource, references in dynamo_graphs(graph):
        if isinstance(references, Undecided):
            yield undecided(resource, resource.name, str(references))
            continue
        names = [each.name for each in references if each.kind == "ConfigMap" and each.is_volume]
        for name in dict.fromkeys(names):
            for config_map in graph.kubernetes_objects_named("ConfigMap", name, resource.namespace):
                yield from _check_config_map(resource, name, config_map)


def _check_config_map(resource: Resource, name: str, config_map: Resource) -> Iterator[Observation]:
    immutable = config_map.inputs.get("immutable")
    if immutable is True or _HASHED.fullmatch(name):
        return
    if immutable is UNKNOWN:
        yield undecided(resource, resource.name, f"whether ConfigMap {name} is immutable is not known yet")
        return
    yield failed(
        resource,
        resource.name,
        f"reads ConfigMap {name}, which can be changed in place and has no hash of its content in its name",
    )


RULE = Rule(
    id="engine-files-roll-pods",
    title="A changed engine file restarts the pods that read it",
    severity=Severity.ADVISORY,
    reason=(
        "Nothing restarts a pod when a ConfigMap changes: the old setting stays in force until a pod happens "
        "to restart, and then the workers of one graph run with different settings."
    ),
    source="https://kubernetes.io/docs/concepts/configuration/configmap/#mounted-configmaps-are-updated-automatically",
    lines=EVERY_RELEASE,
    fix="Put a hash of the content at the end of the ConfigMap's name and make it immutable.",
    check=_check,
)
