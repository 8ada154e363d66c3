"""What a container is given: image, variables, CPU, memory and privileges."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engines.command_line import UNKNOWN_WORD, Environment, Setting, Word
from resource_graph import Resource, ResourceGraph, Value
from resource_graph.values import value_at
from rules.reading.pods.mounts import read_mounts
from rules.reading.pods.pods import GROUP, GROUP_KIND, PodTemplate
from rules.reading.shapes import (
    Undecided,
    field,
    known,
    mapping_at,
    mappings_at,
    text_at,
    texts_at,
    whole_number_at,
)

_PLACEHOLDER = re.compile(r"[$<>{}]|(?:^|[:/])your-|^my-(?![^/]*\.)|:my-tag$", re.IGNORECASE)
"""Pattern of `${IMAGE}`, `<tag>`, `{{ .Values.image }}`, and of my-registry and my-tag in Dynamo's
examples; ghcr.io/my-company may be somebody's."""
_VERSION = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-.+_a-zA-Z].*)?")
_KUBERNETES_REFERENCE = re.compile(r"\$\$|\$\(([A-Za-z_.][A-Za-z0-9_.-]*)\)")
# What the operator mounts at /dev/shm where nobody says (ai-dynamo/dynamo deploy/operator at 0367e40).
_OPERATORS_SHARED_MEMORY = "8Gi"
OWN_SHARED_MEMORY = Setting("64Mi", "the container runtime's own, as no volume is mounted at /dev/shm")
"""Size of /dev/shm that containerd and Docker give a pod (containerd internal/cri/server,
defaultShmSize)."""
_SHARED_MEMORY_PATH = "/dev/shm"  # noqa: S108 - a path to look for, nothing is written there


def all_containers(template: PodTemplate) -> Sequence[tuple[str, Mapping[str, Value]]]:
    """Name and container, the ones that only run at start included."""
    return [(text_at(each, "name") or "main", each) for each in template.all_containers]


@dataclass(frozen=True, slots=True)
class Image:
    """The parts of `registry/path/name:tag@digest`."""

    text: str
    repository: str
    """Everything before tag and digest."""
    tag: str | None
    digest: str | None

    @property
    def name(self) -> str:
        """The last part of the repository."""
        return self.repository.rpartition("/")[2]

    @property
    def is_placeholder(self) -> bool:
        """Whether a person or a tool has yet to fill the image in, so nobody knows what will run."""
        # No registry has an image with a capital letter in its name, such as VLLM_IMAGE.
        is_name_alone = "/" not in self.text and self.name != self.name.lower()
        return is_name_alone or _PLACEHOLDER.search(self.text) is not None

    @property
    def line(self) -> tuple[int, int] | None:
        """Major and minor version that the tag begins with; None for a tag that is no version."""
        return release_line(self.tag)


def read_image(container: Mapping[str, Value]) -> Image | None:
    """The container's image; None where the container names none."""
    text = text_at(container, "image")
    if not text:
        return None
    rest, _, digest = text.partition("@")
    # A colon before the last slash belongs to a registry's port.
    head, slash, last = rest.rpartition("/")
    name, colon, tag = last.partition(":")
    return Image(text, f"{head}{slash}{name}", tag if colon else None, digest or None)


def release_line(version: str | None) -> tuple[int, int] | None:
    """Major and minor version; None for what is no version."""
    match = _VERSION.fullmatch(version or "")
    return None if match is None else (int(match.group(1)), int(match.group(2)))


def environments_around(template: PodTemplate) -> Iterator[tuple[str, Sequence[Mapping[str, Value]]]]:
    """The `env` lists of a graph and its service, which act on every container, and where they stand."""
    if template.shape == "service":
        yield "the graph", mappings_at(template.graph_spec, "envs")
        yield f"service {template.name}", mappings_at(template.described_by, "envs")
    elif template.shape == "component":
        yield "the graph", mappings_at(template.graph_spec, "env")


def environment_entries(
    template: PodTemplate, container: Mapping[str, Value]
) -> Sequence[Mapping[str, Value]]:
    """The entries of all `env` lists that act on a container, each overriding those before."""
    # The operator lets a service override the graph, and the main container the service.
    around = [entry for _, entries in environments_around(template) for entry in entries]
    return [*around, *mappings_at(container, "env")]


def expand_references(text: str, environment: Environment) -> Word:
    """Replace Kubernetes' `$(NAME)`; `$$` stands for a dollar sign and an undefined name stays as it is.

    https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
    """
    word = Word("")
    end = 0
    for match in _KUBERNETES_REFERENCE.finditer(text):
        word += Word(text[end : match.start()])
        end = match.end()
        name = match.group(1)
        if name is None:
            word += Word("$")
        else:
            word += environment.get(name, Word(match.group(0)))
    return word + Word(text[end:])


def reference_names(text: str) -> Sequence[str]:
    """The names that `$(NAME)` refers to in the text."""
    return [name for name in _KUBERNETES_REFERENCE.findall(text) if name]


def read_environment(
    graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value]
) -> dict[str, Word]:
    """Variables of a container from its `envFrom` and its `env` lists, which override the former.

    Variables that a Secret or a field of the pod provides are known by name only.
    """
    environment = _variables_of_groups(template.resource)
    for source in mappings_at(container, "envFrom"):
        environment |= _whole_source(graph, template.resource, source)
    for entry in environment_entries(template, container):
        name = text_at(entry, "name")
        if name is not None:
            environment[name] = _variable(graph, template.resource, entry, environment)
    return environment


def find_config_map(graph: ResourceGraph, owner: Resource, name: str) -> Resource:
    """The ConfigMap of that name that the owner's pods would get."""
    candidates = graph.kubernetes_objects_named("ConfigMap", name, owner.namespace)
    file = None if owner.origin is None else owner.origin.file
    same_file = [each for each in candidates if each.origin is not None and each.origin.file == file]
    found = same_file or candidates
    if not found:
        raise Undecided(f"ConfigMap {name} is not part of what was read")
    if len(found) > 1:
        raise Undecided(f"there are {len(found)} ConfigMaps named {name}; the last one applied wins")
    return found[0]


def requested(template: PodTemplate, container: Mapping[str, Value], resource: str) -> Value:
    """What the container requests of cpu or memory; a limit counts, as Kubernetes takes it for the request.

    None where neither is given.
    """
    request = field(resources(template, container, "requests"), resource)
    return limit(template, container, resource) if request is None else request


def limit(template: PodTemplate, container: Mapping[str, Value], resource: str) -> Value:
    """The container's limit of cpu or memory; None where there is none."""
    return field(resources(template, container, "limits"), resource)


def resources(template: PodTemplate, container: Mapping[str, Value], kind: str) -> Mapping[str, Value]:
    """A container's requests or limits; what a v1alpha1 service has of its own, GPUs aside, goes before."""
    own = mapping_at(container, "resources", kind)
    if template.shape != "service" or container is not template.main:
        return own
    service = mapping_at(template.described_by, "resources", kind)
    named = {key: service[key] for key in ("cpu", "memory") if service.get(key) is not None}
    return {**own, **mapping_at(service, "custom"), **named}


def shared_memory(template: PodTemplate, container: Mapping[str, Value]) -> Setting | None:
    """Size of the container's /dev/shm; None for the node's own, or for a volume without a size."""
    mounted = [each for each in read_mounts(template, container) if each.path == _SHARED_MEMORY_PATH]
    for each in mounted:
        if each.limit is not None:
            return Setting(each.limit, f"sizeLimit of volume {each.name}")
    size, source = None, ""
    match template.shape:
        case "service":
            has_none = field(template.described_by, "sharedMemory", "disabled") is True
            size, source = field(template.described_by, "sharedMemory", "size"), "sharedMemory.size"
        case "component":
            size, source = field(template.described_by, "sharedMemorySize"), "sharedMemorySize"
            has_none = str(size) == "0"
        case "workload":
            has_none = True
    if has_none:
        return None if mounted or field(template.spec, "hostIPC") is True else OWN_SHARED_MEMORY
    return (
        Setting(_OPERATORS_SHARED_MEMORY, "the operator's default") if size is None else Setting(size, source)
    )


def added_capabilities(container: Mapping[str, Value]) -> frozenset[str]:
    """Capabilities that the security context adds, without the prefix CAP_, as far as they are known."""
    added = texts_at(container, "securityContext", "capabilities", "add")
    return frozenset(name.upper().removeprefix("CAP_") for name in added if name)


def is_privileged(container: Mapping[str, Value]) -> bool:
    """Whether the container may do what its node may."""
    return field(container, "securityContext", "privileged") is True


def user_of(pod: Mapping[str, Value], container: Mapping[str, Value]) -> int | None:
    """Numeric id of the container's user: its own, else the pod's; None where the image decides."""
    own = whole_number_at(container, "securityContext", "runAsUser")
    return whole_number_at(pod, "securityContext", "runAsUser") if own is None else own


def must_not_be_root(pod: Mapping[str, Value], container: Mapping[str, Value]) -> bool:
    """Whether the kubelet starts the container for no root; its own word counts before the pod's."""
    own = field(container, "securityContext", "runAsNonRoot")
    return (field(pod, "securityContext", "runAsNonRoot") if own is None else own) is True


def _variables_of_groups(resource: Resource) -> dict[str, Word]:
    """What the controller of LeaderWorkerSets sets in each container (kubernetes-sigs/lws pkg/utils/pod)."""
    if resource.kind != GROUP_KIND:
        return {}
    size = value_at(resource.inputs, ("spec", GROUP, "size"))
    pods = Word(str(size or 1)) if size is None or isinstance(size, int) else UNKNOWN_WORD
    return {"LWS_GROUP_SIZE": pods, "LWS_LEADER_ADDRESS": UNKNOWN_WORD, "LWS_WORKER_INDEX": UNKNOWN_WORD}


def _variable(
    graph: ResourceGraph, owner: Resource, entry: Mapping[str, Value], environment: Mapping[str, Word]
) -> Word:
    value = entry.get("value")
    if isinstance(value, str):
        return expand_references(value, environment)
    reference = field(entry, "valueFrom", "configMapKeyRef") if "valueFrom" in entry else None
    if isinstance(reference, Mapping):
        return _from_config_map(graph, owner, reference)
    return UNKNOWN_WORD if value is not None or "valueFrom" in entry else Word("")


def _whole_source(graph: ResourceGraph, owner: Resource, source: Mapping[str, Value]) -> dict[str, Word]:
    """Every variable of one `envFrom`; none of an object that is not part of what was read."""
    prefix = text_at(source, "prefix") or ""
    name = text_at(source, "configMapRef", "name")
    if name is not None:
        config_map = known(find_config_map, graph, owner, name)
        data = {} if config_map is None else known(mapping_at, config_map.inputs, "data") or {}
        return {
            prefix + key: Word(value) if isinstance(value, str) else UNKNOWN_WORD
            for key, value in data.items()
        }
    name = text_at(source, "secretRef", "name")
    secrets = () if name is None else graph.kubernetes_objects_named("Secret", name, owner.namespace)
    parts = [
        known(mapping_at, each.inputs, part) or {} for each in secrets for part in ("data", "stringData")
    ]
    return {prefix + key: UNKNOWN_WORD for part in parts for key in part}


def _from_config_map(graph: ResourceGraph, owner: Resource, reference: Mapping[str, Value]) -> Word:
    name, key = text_at(reference, "name"), text_at(reference, "key")
    if name is None or key is None:
        return UNKNOWN_WORD
    config_map = known(find_config_map, graph, owner, name)
    value = None if config_map is None else known(field, config_map.inputs, "data", key)
    return Word(value) if isinstance(value, str) else UNKNOWN_WORD
