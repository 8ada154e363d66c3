"""A published graph as a recipe of this project, with a finding for whatever is not simply its value."""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import ValidationError

from cli.recipe_import.fields import Field, field_of_document, fields_beside, fields_of_service
from cli.recipe_import.findings import Finding, Kind, correction_of
from cli.recipe_import.published import PublishedService, documents_beside, find_graph, plain, read_services
from cli.recipe_import.services import service_document, service_findings, worker_role
from engines.registry import Framework
from hardware import ArchitectureFamily
from recipes.fitting import fitted
from recipes.load import load_model, model_names, parse_recipe
from recipes.model import Recipe
from recipes.model_files import ModelFiles
from resource_graph import Resource, ResourceGraph
from rules.reading.pods.containers import Image, read_image
from stacks.errors import Problem, SettingsError
from stacks.plan.recipe_files import sound_recipes
from stacks.settings.explain_validation import problems_of

_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class Imported:
    """A recipe, and what became of the rest of the graph."""

    recipe: Recipe
    document: Mapping[str, Any]
    """What its file holds."""
    findings: tuple[Finding, ...]
    nearest: Recipe
    """The recipe of the catalogue that it was compared with."""


def import_graph(graph: ResourceGraph, file: str, name: str | None) -> Imported:
    """Return the recipe of the one graph among the documents.

    Args:
        graph: the documents of the files.
        file: what messages call them.
        name: of the recipe; None: its model's name and the graph's.

    Raises:
        SettingsError: no graph, or one that cannot be a recipe; nothing else is to be seen of it.

    """
    owner = find_graph(graph, file)
    read = list(read_services(graph, owner, file))
    services = [each for each in read if isinstance(each, PublishedService)]
    workers = [each for each in services if each.worker]
    if not workers or len(workers) == len(services):
        raise _refused(file, "needs a frontend and at least one worker whose command starts an engine")
    frameworks: set[Framework] = {each.framework for each in workers if each.framework}
    if len(frameworks) > 1:
        raise _refused(file, f"its workers run different engines: {', '.join(sorted(frameworks))}")
    model_name, model = _model(workers, file)
    framework = frameworks.pop()
    catalogue = _by_likeness(framework, model, services)
    nearest = catalogue[0]
    image = _image(workers[0], nearest)
    findings = [
        *_left_out(read),
        *(finding for each in services for finding in service_findings(each, model, image, catalogue)),
        *_fields(graph, owner, services, catalogue),
        Finding(Kind.ASSUMED, "traffic, benchmark", "", f"as {nearest.name} has them"),
    ]
    document: dict[str, Any] = {
        "name": name or f"{model_name}/{owner.name}",
        "title": f"{owner.name}, read from {file}",
        "sources": [file],
        "model": model_name if model == load_model(model_name) else _dumped(model),
        "framework": framework,
        "runtime": {
            "image": image.repository,
            "version": image.tag,
            "platformLines": _platform_lines(image, nearest),
        },
        "graphName": owner.name,
        "workingDirectory": _directory(workers[0], nearest),
        "traffic": _dumped(nearest.traffic),
        "quantization": _quantization(workers),
        "services": [service_document(each, model, nearest) for each in services],
        "benchmark": _dumped(nearest.benchmark),
        "validatedOn": [],
        "evidence": [],
        "corrections": _corrections(findings),
    }
    recipe = _for_families(nearest.quantization.architecture_families, document, file)
    families = recipe.quantization.architecture_families
    assumed = f"{', '.join(families)}: those of {nearest.name} that have kernels for it"
    findings.append(Finding(Kind.ASSUMED, "quantization.architectureFamilies", "", assumed))
    if len(families) == 1:
        nearest = fitted(nearest, families[0])
    return Imported(recipe, document, (*findings, *_kept(recipe, nearest)), nearest)


def _for_families(families: Sequence[ArchitectureFamily], document: dict[str, Any], file: str) -> Recipe:
    """Write the families into the document: all of them, or the first that has kernels for what it asks."""
    quantization = document["quantization"]
    for choice in (families, *([family] for family in families)):
        quantization["architectureFamilies"] = list(choice)
        try:
            return _parsed(document, file)
        except SettingsError:
            continue
    quantization["architectureFamilies"] = list(families)
    return _parsed(document, file)


def _parsed(document: Mapping[str, Any], file: str) -> Recipe:
    try:
        return parse_recipe(yaml.safe_dump(document, sort_keys=False))
    except ValidationError as error:
        raise SettingsError({f"the recipe read from {file}": problems_of(error, Recipe)}) from None


def _model(workers: Sequence[PublishedService], file: str) -> tuple[str, ModelFiles]:
    """Return the described model that the workers serve, with the revision that they name."""
    started = workers[0].worker
    texts = [text for text in (started.model, started.served_name) if text] if started else []
    for name in model_names():
        model = load_model(name)
        hub_folder = f"models--{model.repository.replace('/', '--')}"
        found = next((text for text in texts if model.repository in text or hub_folder in text), None)
        if found is None:
            continue
        revision = found.partition("/snapshots/")[2].partition("/")[0]
        pinned = {"revision": revision} if len(revision) == len(model.revision) else {}
        served = {"served_name": started.served_name} if started and started.served_name else {}
        return name, model.model_copy(update=pinned | served)
    shown = " ".join(texts) or None
    problem = Problem(
        workers[0].name,
        shown,
        "nobody has described this model",
        allowed=", ".join(load_model(name).repository for name in model_names()),
        suggestion="a file for it in recipes/models/",
    )
    raise SettingsError({file: [problem]})


def _by_likeness(
    framework: Framework, model: ModelFiles, services: Sequence[PublishedService]
) -> tuple[Recipe, ...]:
    roles = sorted(worker_role(each) for each in services)

    def likeness(recipe: Recipe) -> tuple[bool, bool, bool]:
        own = sorted(service.role for service in recipe.services)
        return (
            recipe.framework == framework,
            recipe.model.repository == model.repository,
            own == roles,
        )

    graphs = [recipe for recipe in sound_recipes() if recipe.engine_server is None]
    return tuple(sorted(graphs, key=likeness, reverse=True))


def _platform_lines(image: Image, nearest: Recipe) -> list[str]:
    """Return the line that the image is of: nothing says on which others the graph stands."""
    line = ".".join(str(part) for part in image.line or ()) or nearest.runtime.default_line
    return [line] if line else []


def _image(worker: PublishedService, nearest: Recipe) -> Image:
    image = read_image(worker.template.main)
    if image is None or image.tag is None or image.is_placeholder:
        runtime = nearest.runtime
        return Image(f"{runtime.image}:{runtime.version}", runtime.image, runtime.version, None)
    return image


def _directory(worker: PublishedService, nearest: Recipe) -> str | None:
    found = worker.template.main.get("workingDir")
    return posixpath.normpath(found) if isinstance(found, str) else nearest.working_directory


def _quantization(workers: Sequence[PublishedService]) -> dict[str, Any]:
    algorithms = {each.worker.algorithm for each in workers if each.worker}
    algorithm = algorithms.pop() if len(algorithms) == 1 else None
    return {"algorithm": algorithm} if algorithm else {}


def _left_out(read: Sequence[PublishedService | str]) -> Iterator[Finding]:
    for each in read:
        if isinstance(each, str):
            yield Finding(Kind.LEFT_OUT, each, "", "neither a frontend nor a worker of an engine")


def _fields(
    graph: ResourceGraph,
    owner: Resource,
    services: Sequence[PublishedService],
    catalogue: tuple[Recipe, ...],
) -> Iterator[Finding]:
    for service in services:
        for field in fields_of_service(service):
            yield _finding(field, worker_role(service), catalogue)
    yield from (_finding(field, None, catalogue) for field in fields_beside(owner))
    files = {service.file.rpartition("ConfigMap ")[2] for service in services}
    filled_in = {name for service in services for name in service.config_maps}
    for document in documents_beside(graph, owner):
        number = "K1" if document.name in files else "V12" if document.name in filled_in else None
        if document.kind == "ConfigMap" and number:
            correction = correction_of(number, None, catalogue)
            yield Finding(Kind.OTHERWISE, "ConfigMap", document.name, correction.ours, correction)
        else:
            yield _finding(field_of_document(document), None, catalogue)


def _finding(field: Field, role: str | None, catalogue: tuple[Recipe, ...]) -> Finding:
    shown = "" if field.value is None else short_value(field.value)
    if field.correction is None:
        return Finding(Kind.LEFT_OUT, field.place, shown, field.instead)
    correction = correction_of(field.correction, role, catalogue)
    return Finding(Kind.OTHERWISE, field.place, shown, correction.ours, correction)


def short_value(value: object) -> str:
    """Return a value on one line, cut where it is long."""
    text = yaml.safe_dump(plain(value), default_flow_style=True, width=10_000)  # type: ignore[arg-type]
    text = text.removesuffix("...\n").strip()
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _corrections(findings: Sequence[Finding]) -> list[dict[str, str]]:
    """Return what is rendered otherwise as the recipe's record, one entry a correction."""
    entries: dict[tuple[str, str], dict[str, str]] = {}
    for finding in findings:
        correction = finding.correction
        if correction is None:
            continue
        said = f"{finding.place} {finding.found}".strip()
        entry = entries.get((correction.id, correction.setting))
        if entry:
            entry["published"] += f"; {said}"
        else:
            entries[correction.id, correction.setting] = _dumped(correction) | {"published": said}
    return [entry for _, entry in sorted(entries.items(), key=lambda item: _number(item[0]))]


def _number(key: tuple[str, str]) -> tuple[str, int, str]:
    number, setting = key
    return number[0], int(number[1:]), setting


def _kept(recipe: Recipe, nearest: Recipe) -> Iterator[Finding]:
    """Yield what stands as published, where the catalogue's recipe of the same shape was corrected."""
    if _shape(recipe) != _shape(nearest):
        return
    ours, theirs = _values(recipe), _values(nearest)
    for path in sorted({*ours, *theirs}):
        found, corrected = ours.get(path), theirs.get(path)
        if found != corrected:
            by = (each for each in nearest.corrections if any(_within(path, place) for place in each.at))
            for correction in by:
                yield Finding(Kind.KEPT, path, _said(found), _said(corrected), correction)


def _within(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}.")


def _shape(recipe: Recipe) -> tuple[str, list[str]]:
    return recipe.model.repository, sorted(service.role for service in recipe.services)


def _values(recipe: Recipe) -> dict[str, object]:
    """Return the recipe's values by dotted path, a service by its role, a list as one value."""
    document = recipe.model_dump(mode="json", by_alias=True, exclude_unset=True)
    services = {service["role"]: service for service in document.pop("services")}
    return dict(_flat(document | {"services": services}, ""))


def _flat(value: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, object]]:
    for name, inner in value.items():
        if isinstance(inner, Mapping):
            yield from _flat(inner, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", inner


def _said(value: object) -> str:
    return "absent" if value is None else short_value(value)


def _dumped(model: Any) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _refused(file: str, message: str) -> SettingsError:
    return SettingsError({file: [Problem("", None, message)]})
