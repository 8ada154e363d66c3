"""Whether pods around a model find what they mount, and the Secrets that they name."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from resource_graph import UNKNOWN, Resource, ResourceGraph
from resource_graph.spelling import SLIPS, slip_of
from rules.reading.model_users import KINDS, ModelUser, read_model_users
from rules.reading.model_volumes import hub_scratch, is_shared
from rules.reading.pods.containers import environment_entries, must_not_be_root, read_image, user_of
from rules.reading.pods.mounts import is_within
from rules.reading.pods.pods import PodTemplate, readable
from rules.reading.references import read_references
from rules.reading.releases import operator_line
from rules.reading.shapes import Undecided, grouped, known, mapping_at, mappings_at, memoized, text_at
from rules.rule import (
    EVERY_RELEASE,
    POD_TEMPLATES,
    Advice,
    Observation,
    Said,
    Severity,
    Subjects,
    graph_rule,
    model_users,
    names,
    rule,
    undecided,
)

# Dynamo's runtime and frontend images run as user 1000, dynamo, since that release (ai-dynamo/dynamo#3935).
_IMAGES_OF_DYNAMO, _NOT_ROOT_SINCE = "/ai-dynamo/", (0, 7)
_HOME = "HF_HOME"
_WITHOUT_MODELS = frozenset(
    {"sglang-runtime", "tensorrtllm-runtime", "vllm-runtime", "vllm-openai", "vllm-cuda-rhel9"}
)
"""Published images of engines, of which none holds a model."""
_KEY_REFERENCES = {"Secret": "secretKeyRef", "ConfigMap": "configMapKeyRef"}
_PARTS = ("data", "stringData", "binaryData")


@rule(
    model_users(*KINDS),
    severity=Severity.MANDATORY,
    reason=(
        "The directory is absent in the container, empty as an emptyDir, or below /root, which nobody but "
        "root may enter: the engine ends at start. Where the image may hold the model, or the hub be asked, "
        "this is advice."
    ),
    source=(
        "ai-dynamo/dynamo recipes/gpt-oss-120b/trtllm/agg/deploy.yaml at 05e46aa; ai-dynamo/dynamo#4290 "
        "(model path not readable as non-root)"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Mount the claim at /opt/models, or where that path begins, and set HF_HOME to that directory, in "
        "every pod that uses the model."
    ),
)
def model_path_mounted(_: ResourceGraph, user: ModelUser) -> Iterator[Said]:
    """Model's directory is on no volume, or where the container's user may not go."""
    yield from map(Advice, _below_root(user))
    mounted = [mount.path for mount in user.mounted]
    cache = user.cache_directory
    is_lost = cache.startswith("/") and not any(is_within(cache, path) for path in mounted)
    if user.kind == "download" and user.mounts and user.models and is_lost:
        yield Advice(
            f"downloads {user.models[0].text} into {cache}, where nothing is mounted, so the model goes with "
            f"the pod; it mounts {places(user)}"
        )
    # Without any claim the model may be part of an image of one's own, or be fetched by the start script.
    if user.kind not in {"worker", "benchmark"} or (not user.mounts and not _has_no_model(user)):
        return
    yield from _cache_problems(user, mounted)
    for model in user.models:
        if model.is_path and not any(is_within(model.text, path) for path in mounted):
            found = (
                f"reads its model from {model.text} ({model.source}), where nothing is mounted; it mounts "
                f"{places(user)}"
            )
            yield found if _has_no_model(user) else Advice(found)


def places(user: ModelUser) -> str:
    """What a container mounts of models, for a message."""
    return ", ".join(str(mount) for mount in user.mounts) or "no claim"


def _below_root(user: ModelUser) -> Iterator[str]:
    reason = _why_not_root(user)
    for mount in user.mounts if reason else ():
        if is_within(mount.path, "/root"):
            what = str(mount) if mount.node_path else f"claim {mount}"
            yield f"mounts {what}, below the home of root, but {reason}"


def _why_not_root(user: ModelUser) -> str:
    number = user_of(user.template.spec, user.container)
    if number is not None:
        return f"runs as user {number}" if number else ""
    if must_not_be_root(user.template.spec, user.container):
        return "does not run as root (runAsNonRoot)"
    image = read_image(user.container)
    if image is None or _IMAGES_OF_DYNAMO not in image.repository:
        return ""
    line = image.line or _NOT_ROOT_SINCE
    return f"the user of {image.text} is not root (from release 0.7 on)" if line >= _NOT_ROOT_SINCE else ""


def _cache_problems(user: ModelUser, mounted: Sequence[str]) -> Iterator[Said]:
    """A model that is named by its repository comes from the hub's cache, or from the hub."""
    cache = user.cache_directory
    named = [model for model in user.models if not model.is_path and model.repository is not None]
    if not named or any(is_within(cache, path) for path in mounted):
        yield from _empty_cache(user) if named else ()
        return
    home = user.variable(_HOME)
    meant = None if home is None else slip_of(home.rstrip("/"), mounted, SLIPS)
    if meant is not None:
        yield Advice(f"keeps models in {_HOME} {home}, where nothing is mounted; {meant} is")
    elif user.is_offline and user.kind == "worker" and _has_no_model(user):
        yield (
            f"may not ask the hub (HF_HUB_OFFLINE) for {named[0].text} and looks for it in {cache}, where "
            f"nothing is mounted; it mounts {places(user)}"
        )
    elif user.kind == "worker" and _has_a_claim(user) and _has_no_model(user):
        yield Advice(
            f"downloads {named[0].text} into {cache} of its own container at every start: nothing is mounted "
            f"there; it mounts {places(user)}"
        )


def _empty_cache(user: ModelUser) -> Iterator[Said]:
    """An offline worker whose cache is empty whenever its pod starts."""
    scratch = hub_scratch(user)
    if user.is_offline and user.kind == "worker" and scratch and not is_shared(user, scratch):
        found = (
            f"may not ask the hub (HF_HUB_OFFLINE) for {user.models[0].text} and looks for it in "
            f"{user.cache_directory}, in emptyDir {scratch.name}, which nothing fills"
        )
        yield found if _has_no_model(user) else Advice(found)


def _has_a_claim(user: ModelUser) -> bool:
    """Whether a claim is mounted that can be meant for models."""
    service = user.template.described_by
    compiled = {
        text_at(mount, "mountPoint")
        for mount in mappings_at(service, "volumeMounts")
        if mount.get("useAsCompilationCache") is True
    }
    return any(mount.node_path is None and mount.path not in compiled for mount in user.mounts)


def _has_no_model(user: ModelUser) -> bool:
    """Whether neither the user's image nor its start script brings a model."""
    image = read_image(user.container)
    return (
        image is not None and image.name in _WITHOUT_MODELS and "download" not in str(user.container).lower()
    )


@rule(
    POD_TEMPLATES,
    severity=Severity.MANDATORY,
    reason=(
        "The operator of 1.2 makes a v1beta1 component of the service, and there the mounts of mainContainer "
        "take the place of the service's. The pod starts without the claim, the graph is called ready, and a "
        "worker finds no model or downloads it."
    ),
    source=(
        "ai-dynamo/dynamo#11263 (2026-07-06, taken over into a release branch by #11341); "
        "ai-dynamo/dynamo deploy/operator/api/v1alpha1/shared_spec_conversion.go at 0a132bc43, and seen with "
        "the operator built from it"
    ),
    lines=("Dynamo 1.2", "Dynamo 1.4"),
    fix=(
        "Name the claim in extraPodSpec.volumes and mount it in mainContainer.volumeMounts, with mountPath; "
        "or write the graph in v1beta1."
    ),
)
def service_mounts_kept(graph: ResourceGraph, template: PodTemplate) -> Iterator[str | Undecided]:
    """Mounts of a v1alpha1 service do not reach its container."""
    if template.shape != "service":
        return
    lost = mappings_at(template.described_by, "volumeMounts")
    if not lost or not mappings_at(template.main, "volumeMounts"):
        return
    line = operator_line(graph, template.resource)
    what = ", ".join(f"{text_at(mount, 'name')} at {text_at(mount, 'mountPoint')}" for mount in lost)
    found = f"mounts {what} as volumeMounts of the service, beside volumeMounts of its mainContainer"
    if line == (1, 2):
        yield f"{found}, which the operator of 1.2 keeps alone"
    elif line == (1, 3):
        yield Undecided(f"{found}, which early operators of 1.3 keep alone")


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "A container whose Secret is missing, or a key of a Secret or ConfigMap, waits in "
        "CreateContainerConfigError; without a pull secret its image may not be pulled."
    ),
    source="https://kubernetes.io/docs/concepts/configuration/secret/#using-secrets",
    lines=EVERY_RELEASE,
    fix="Create the Secret in the pods' namespace with that key, or drop the reference.",
)
def named_secrets_exist(graph: ResourceGraph) -> Iterator[Observation]:
    """Secret that a pod around a model names, or a key of it or of a ConfigMap, is missing."""
    yield from Subjects(_one_user_a_template).judge(graph, _missing_keys)
    absent = grouped(
        ((str(user.resource.namespace), name), user)
        for user in _one_user_a_template(graph)
        for name in _absent_secrets(graph, user)
    )
    for (_, name), users in absent.items():
        said = f"nothing that was read makes this Secret, which {names(users)} names"
        yield undecided(users[0].resource, name, said)


@memoized
def _one_user_a_template(graph: ResourceGraph) -> tuple[ModelUser, ...]:
    return tuple({user.template: user for user in readable(read_model_users(graph))}.values())


def _absent_secrets(graph: ResourceGraph, user: ModelUser) -> Iterable[str]:
    references = known(read_references, user.template) or ()
    namespace = user.resource.namespace
    secrets = dict.fromkeys(each.name for each in references if each.kind == "Secret")
    return (name for name in secrets if not graph.kubernetes_objects_named("Secret", name, namespace))


def _missing_keys(graph: ResourceGraph, user: ModelUser) -> Iterator[str]:
    for variable, kind in product(environment_entries(user.template, user.container), _KEY_REFERENCES):
        source = mapping_at(variable, "valueFrom", _KEY_REFERENCES[kind])
        name, key = text_at(source, "name"), text_at(source, "key")
        if name is None or key is None or source.get("optional") is True:
            continue
        for holder in graph.kubernetes_objects_named(kind, name, user.resource.namespace):
            keys = _keys(holder)
            if keys is not None and key not in keys:
                yield (
                    f"takes {text_at(variable, 'name')} from key {key} of {kind} {name}, which has "
                    f"{', '.join(sorted(keys)) or 'none'}"
                )


def _keys(holder: Resource) -> set[str] | None:
    """Keys of the Secret or ConfigMap; None where only the update knows them."""
    if any(holder.inputs.get(part) is UNKNOWN for part in _PARTS):
        return None
    return {key for part in _PARTS for key in mapping_at(holder.inputs, part)}
