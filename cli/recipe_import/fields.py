"""Every field of a published graph: part of the recipe, rendered otherwise, or left out."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from cli.recipe_import.published import PublishedService
from recipes.model_cache import MODEL_CACHE
from resource_graph import Resource, Value

READ = ""
"""In place of a correction: the recipe has it."""

# Field -> the correction by which something else is rendered. `service` is what stands beside the pod, `pod`
# its spec, `container` the main container.
_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        "service.name": READ,
        "service.type": READ,
        "service.componentType": READ,
        "service.subComponentType": READ,
        "service.replicas": READ,
        "service.sharedMemory": READ,
        "service.sharedMemorySize": READ,
        "service.resources": READ,
        "service.envs": READ,
        "service.dynamoNamespace": "D1",
        "service.envFromSecret": "K14",
        "service.volumeMounts": "K16",
        "pod.imagePullSecrets": "D12",
        "pod.resourceClaims": "D10",
        "pod.resources": READ,
        "pod.securityContext": "D24",
        "pod.terminationGracePeriodSeconds": "D15",
        "pod.volumes": READ,
        "container.name": READ,
        "container.image": READ,
        "container.command": READ,
        "container.args": READ,
        "container.env": READ,
        "container.resources": READ,
        "container.workingDir": READ,
        "container.volumeMounts": READ,
        "container.envFrom": "K14",
        "container.securityContext": "D14",
        "container.lifecycle": "D28",
        "container.startupProbe": "V11",
        "container.terminationMessagePolicy": "D29",
    }
)
_OF_A_FRONTEND: Mapping[str, str] = MappingProxyType(
    {
        "pod.affinity.nodeAffinity": "K4",
        "pod.affinity.podAntiAffinity": "K4",
        "container.securityContext": "D12",
    }
)
_OF_A_WORKER: Mapping[str, str] = MappingProxyType(
    {
        "pod.affinity.nodeAffinity": "K9",
        "pod.affinity.podAffinity": "D23",
        "pod.nodeSelector": "K9",
        "pod.tolerations": "K9",
        "pod.topologySpreadConstraints": "D23",
    }
)
_BESIDE_THE_SERVICES: Mapping[str, str] = MappingProxyType(
    {"backendFramework": READ, "services": READ, "components": READ, "envs": READ, "env": READ, "pvcs": "D21"}
)
_OTHER_DOCUMENTS: Mapping[str, str] = MappingProxyType(
    {
        "ComputeDomain": "serving.kvTransport: mnnvl in a stack's settings makes one",
        "Job": "a stack downloads the model by itself; what a benchmark sends is the recipe's `benchmark`",
        "Namespace": "serving.namespace in a stack's settings",
        "PersistentVolumeClaim": "modelCache in a stack's settings",
        "Secret": "`pulumi config set --secret dynamo-stack:hfToken`; a recipe holds no secrets",
        "Service": "the operator makes one for the frontend; serving.exposure in a stack's settings",
    }
)
_NO_PART = "no part of a recipe"


@dataclass(frozen=True, slots=True)
class Field:
    """One field that is no value of the recipe."""

    place: str
    value: Value
    correction: str | None
    """Id of the correction by which something else is rendered; None: it is left out."""
    instead: str
    """Where a person says it instead, of a field that is left out."""


def fields_of_service(service: PublishedService) -> Iterator[Field]:
    """Yield what of a service is no value of the recipe."""
    special = _OF_A_FRONTEND if service.is_frontend else _OF_A_WORKER
    known = {**_FIELDS, **special}
    for place, value in _fields(service):
        correction = known.get(place)
        if correction != READ and not _is_ours(place, value):
            yield Field(f"{service.name}: {place.partition('.')[2]}", value, correction, _NO_PART)
    for container in service.template.containers[1:]:
        yield Field(f"{service.name}: container {container.get('name')}", None, None, _NO_PART)


def fields_beside(owner: Resource) -> Iterator[Field]:
    """Yield what the graph says beside its services, and is no value of the recipe."""
    spec = owner.inputs.get("spec")
    for name, value in spec.items() if isinstance(spec, Mapping) else ():
        correction = _BESIDE_THE_SERVICES.get(name)
        if correction != READ:
            yield Field(f"spec.{name}", value, correction, _NO_PART)
    for name, value in owner.metadata.items():
        if name == "namespace":
            yield Field("metadata.namespace", value, None, "serving.namespace in a stack's settings")
        elif name != "name":
            yield Field(f"metadata.{name}", value, None, _NO_PART)


def field_of_document(document: Resource) -> Field:
    """Return what to say of a document beside the graph that the graph does not use."""
    return Field(
        f"{document.kind} {document.name}", None, None, _OTHER_DOCUMENTS.get(str(document.kind), _NO_PART)
    )


def _is_ours(place: str, value: Value) -> bool:
    """Return whether the cache is mounted where it is mounted here too."""
    return place == "service.volumeMounts" and all(
        isinstance(mount, Mapping) and mount.get("mountPoint") == MODEL_CACHE.mount_path
        for mount in (value if isinstance(value, list) else ())
    )


def _fields(service: PublishedService) -> Iterator[tuple[str, Value]]:
    template = service.template
    for name, value in template.described_by.items():
        if name not in {"extraPodSpec", "podTemplate"}:
            yield f"service.{name}", value
    around = template.described_by.get("podTemplate")
    if isinstance(around, Mapping) and "metadata" in around:
        yield "pod.metadata", around["metadata"]
    for name, value in template.spec.items():
        if name in {"mainContainer", "containers"}:
            continue
        if name == "affinity" and isinstance(value, Mapping):
            yield from ((f"pod.affinity.{kind}", inner) for kind, inner in value.items())
        else:
            yield f"pod.{name}", value
    yield from ((f"container.{name}", value) for name, value in template.main.items())
