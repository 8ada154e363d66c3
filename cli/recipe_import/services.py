"""One service of a published graph as a service of a recipe."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from cli.recipe_import.findings import Finding, Kind, correction_of
from cli.recipe_import.published import PublishedService
from engines.engine import Engine
from engines.registry import ENGINES
from engines.runtime_lines import RUNTIME_LINES
from recipes.model import FrontendResources, Recipe, Role
from recipes.model_cache import MODEL_CACHE
from recipes.model_files import ModelFiles
from recipes.pod_environment import cache_environment, runtime_environment
from rules.reading.pods.containers import Image, limit, read_image, requested, shared_memory

_SPLIT: tuple[Role, ...] = ("prefill", "decode")
_OF_THE_CACHE = {"HF_HOME": "K16", "HF_HUB_OFFLINE": "K19", "TIKTOKEN_ENCODINGS_BASE": "K20"}
"""Variable that every pod has -> its correction."""
_OPERATORS_DEFAULT = "the operator's default"


def worker_role(service: PublishedService) -> Role:
    """Return the role of a service; of a worker whose type does not tell, the mode of its command does."""
    if service.worker is None:
        return "frontend"
    for said in (service.template.component_type, service.worker.mode):
        for role in _SPLIT:
            if said == role:
                return role
    return "worker"


def service_document(service: PublishedService, model: ModelFiles, nearest: Recipe) -> dict[str, Any]:
    """Return the service as a recipe's file has it."""
    role = worker_role(service)
    document: dict[str, Any] = {
        "serviceName": service.name,
        "role": role,
        "replicas": service.template.replicas,
        "gpus": service.gpus,
        "arguments": list(_arguments(service, model)),
        "environment": _environment(service, role, nearest.serving_engine),
    }
    if service.worker is None:
        return document | {"resources": _resources(service) or _resources_of(nearest)}
    memory = shared_memory(service.template, service.template.main)
    if memory and memory.source != _OPERATORS_DEFAULT:
        document["sharedMemory"] = str(memory.value)
    return document | {"engine": _with_extra(service)}


def service_findings(
    service: PublishedService, model: ModelFiles, image: Image, catalogue: tuple[Recipe, ...]
) -> Iterator[Finding]:
    """Yield what of the service's command, image and resources is not simply a value of the recipe."""
    role, name = worker_role(service), service.name

    def otherwise(number: str, place: str, found: str) -> Finding:
        correction = correction_of(number, role, catalogue)
        return Finding(Kind.OTHERWISE, f"{name}: {place}", found, correction.ours, correction)

    own = read_image(service.template.main)
    if own and own.text != image.text:
        instead = f"{image.repository}:{image.tag}, as the workers'"
        yield Finding(Kind.LEFT_OUT, f"{name}: image", own.text, instead)
    if service.declared_type == "main":
        yield otherwise("K3", "componentType", "main")
    if service.other_commands:
        yield otherwise("D11", "what the command runs beside", ", ".join(service.other_commands))
    for variable, ours in cache_environment().items():
        found = service.environment.get(variable)
        if found not in {None, ours}:
            yield otherwise(_OF_THE_CACHE[variable], variable, str(found))
    for variable in service.unknown_variables:
        yield Finding(Kind.LEFT_OUT, f"{name}: variable {variable}", "", "its value is not in the file")
    if _resources(service) is None:
        yield otherwise("K8", "processor time and memory", _asked(service) or "none")
    if service.worker is not None:
        yield from _worker_findings(service, model, otherwise)


def _worker_findings(
    service: PublishedService, model: ModelFiles, otherwise: Callable[[str, str, str], Finding]
) -> Iterator[Finding]:
    worker = service.worker
    if worker is None:
        return
    if worker.moved:
        yield otherwise("K13", "flags", " ".join(worker.moved))
    if not set(model.parser_arguments) & set(worker.arguments):
        yield otherwise("K2", "parsers", "none")
    snapshot = f"{MODEL_CACHE.mount_path}/hub/models--{model.repository.replace('/', '--')}/snapshots/"
    if not (worker.model or "").startswith(snapshot):
        yield otherwise("K17", "model", worker.model or "none")
    for path, value in _unmodelled(service):
        place = f"{service.name}: engine option {'.'.join(path)}"
        yield Finding(Kind.KEPT, place, str(value), "below `extra`: nothing here judges it")


def _arguments(service: PublishedService, model: ModelFiles) -> Sequence[str]:
    if service.worker is None:
        return service.arguments
    arguments = list(service.worker.arguments)
    parsers = model.parser_arguments
    for flag, value in zip(parsers[::2], parsers[1::2], strict=True):
        # They come with the model.
        if flag in arguments and arguments[arguments.index(flag) + 1 :][:1] == [value]:
            del arguments[arguments.index(flag) : arguments.index(flag) + 2]
    return arguments


def _environment(service: PublishedService, role: Role, engine: Engine[Any]) -> dict[str, str]:
    versions = [line.version.value for line in RUNTIME_LINES.values()]
    rendered = {pair for version in versions for pair in runtime_environment(role, engine, version).items()}
    return {
        name: value
        for name, value in service.environment.items()
        if name not in cache_environment() and (name, value) not in rendered
    }


def _resources(service: PublishedService) -> dict[str, Any] | None:
    """Return the frontend's resources; None where they are none that a recipe can have, or a worker's."""
    template = service.template
    if service.worker is not None:
        return None
    request, most = (ask(template, template.main, "cpu") for ask in (requested, limit))
    document = {
        "cpuRequest": _whole(request),
        "cpuLimit": _whole(most if most is not None else request),
        "memory": requested(template, template.main, "memory"),
    }
    try:
        FrontendResources.model_validate(document)
    except ValidationError:
        return None
    return document


def _asked(service: PublishedService) -> str:
    template = service.template
    amounts = {kind: requested(template, template.main, kind) for kind in ("cpu", "memory")}
    return ", ".join(f"{kind} {amount}" for kind, amount in amounts.items() if amount is not None)


def _whole(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isdigit() else value


def _resources_of(nearest: Recipe) -> dict[str, Any]:
    found = next(service.resources for service in nearest.services if service.resources)
    return found.model_dump(mode="json", by_alias=True)


def _unmodelled(service: PublishedService) -> list[tuple[tuple[str, ...], Any]]:
    """Return the engine options that this project does not model, with their paths."""
    if service.worker is None or service.framework is None:
        return []
    try:
        ENGINES[service.framework].options.model_validate(service.worker.options)
    except ValidationError as error:
        return [
            (tuple(str(part) for part in details["loc"]), details["input"])
            for details in error.errors(include_url=False)
            if details["type"] == "extra_forbidden"
        ]
    return []


def _with_extra(service: PublishedService) -> dict[str, Any]:
    """Return the engine options with those that are not modelled below `extra` of their block."""
    moved: dict[str, Any] = {**service.worker.options} if service.worker else {}
    for (*blocks, name), value in _unmodelled(service):
        inner = moved
        for block in blocks:
            inner[block] = {**inner[block]}
            inner = inner[block]
        del inner[name]
        inner["extra"] = {**inner.get("extra", {}), name: value}
    return moved
