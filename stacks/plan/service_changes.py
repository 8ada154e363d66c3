"""A recipe with a stack's overrides, variables, options and image versions, and what none may change."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pydantic import BaseModel, ValidationError

from engines.command_line import split_options
from engines.effective import decided_option, option_variables
from engines.registry import WORKER_COMMANDS
from engines.release import release_name
from recipes.consistency import contradictions
from recipes.model import Recipe
from recipes.pod_environment import CACHE_ENVIRONMENT
from recipes.services import Role, ServiceRecipe, option_messages, with_options
from stacks.errors import Problem

_KV_ROLES: tuple[Role, ...] = ("prefill", "decode")
_ELSEWHERE = "set elsewhere, for all that has to agree"
_FOR_DOWNLOADS = "`pulumi config set --secret dynamo-stack:hfToken`; a pod that serves needs no token"
_PLATFORM = "platform, in the stack's settings"
_PORT = "nothing: the frontend's Service and its network policy are for port 8000"
_MODEL = "serving.recipe and model.revision"
# The operator's own, in every pod (ai-dynamo/dynamo deploy/operator/internal/dynamo/component_common.go).
_OF_THE_OPERATOR = (
    "DYN_NAMESPACE",
    "DYN_NAMESPACE_PREFIX",
    "DYN_COMPONENT",
    "DYN_DISCOVERY_BACKEND",
    "DYN_PARENT_DGD_K8S_NAME",
    "DYN_PARENT_DGD_K8S_NAMESPACE",
    "DYN_HEALTH_CHECK_ENABLED",
    "DYN_SYSTEM_ENABLED",
    "DYN_SYSTEM_PORT",
    "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS",
    "NATS_SERVER",
    "ETCD_ENDPOINTS",
)
_VARIABLES: Mapping[str, str] = MappingProxyType(
    {
        "DYN_ROUTER_MODE": "serving.routerMode",
        "DYN_HTTP_PORT": _PORT,
        "DYNAMO_PORT": _PORT,
        "HF_TOKEN": _FOR_DOWNLOADS,
        "HUGGING_FACE_HUB_TOKEN": _FOR_DOWNLOADS,
        **dict.fromkeys(_OF_THE_OPERATOR, _PLATFORM),
    }
)
"""Variable that no stack sets -> where a person says it."""
_OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "--router-mode": "serving.routerMode",
        "--http-port": _PORT,
        "--http-host": _PORT,
        "--model": _MODEL,
        "--model-path": _MODEL,
        "--model-name": _MODEL,
        "--served-model-name": _MODEL,
        "--disaggregation-mode": "nothing: it follows from the service's role",
        **dict.fromkeys(
            ("--namespace", "--endpoint", "--discovery-backend", "--request-plane", "--event-plane"),
            _PLATFORM,
        ),
    }
)
"""Option that no stack passes -> where a person says it."""


OVERRIDES = "serving.overrides"


def overridden(recipe: Recipe, overrides: Mapping[Role, BaseModel]) -> tuple[Recipe, tuple[Problem, ...]]:
    """Return the recipe with the overrides merged into its engine options, key by key, and what is wrong.

    Args:
        recipe: as it is in the catalogue.
        overrides: by role, settings of the recipe's engine.

    """
    roles = [worker.role for worker in recipe.workers]
    for role in overrides:
        if role not in roles:
            return recipe, (Problem(f"{OVERRIDES}.{role}", None, _no_role(recipe, role, roles)),)
    services: list[ServiceRecipe] = []
    for service in recipe.services:
        over = overrides[service.role].model_dump(exclude_unset=True) if service.role in overrides else None
        try:
            services.append(service if over is None else with_options(service, over))
        except ValidationError as error:
            key = f"{OVERRIDES}.{service.role}"
            return recipe, tuple(Problem(key, None, text) for text in option_messages(error))
    changed = recipe.model_copy(update={"services": tuple(services)})
    found = contradictions(changed)
    return recipe if found else changed, tuple(Problem(OVERRIDES, None, text) for text in found)


@dataclass(frozen=True, slots=True)
class ServiceChange:
    """What is changed of the service of one role."""

    environment: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    """None takes a variable away."""
    arguments: tuple[str, ...] = ()
    image_version: str | None = None
    router_mode: str | None = None
    """Of the frontend."""


def refused_changes(recipe: Recipe, changes: Mapping[Role, ServiceChange]) -> Iterator[Problem]:
    """Yield what would be lost, or would contradict what is said elsewhere."""
    services = {service.role: service for service in recipe.services}
    yield from _two_versions(recipe, changes)
    for role, change in changes.items():
        service = services.get(role)
        if service is None:
            yield from _of_no_role(recipe, role, change)
            continue
        for name in change.environment:
            place = _place_of_variable(recipe, service, name)
            if place is not None:
                yield Problem(f"serving.environment.{role}.{name}", None, _ELSEWHERE, suggestion=place)
        yield from _options(recipe, service, change.arguments)
        tag = change.image_version
        if tag is not None and _line(tag) != _line(recipe.runtime.version):
            key = f"serving.imageVersions.{role}"
            message = f"the recipe's flags, defects and operator are those of {recipe.runtime.version}"
            yield Problem(key, tag, message, suggestion="another platform.version")


def with_changes(recipe: Recipe, changes: Mapping[Role, ServiceChange]) -> Recipe:
    """Return the recipe with changes of which none is refused."""
    services = tuple(
        _changed(service, changes[service.role]) if service.role in changes else service
        for service in recipe.services
    )
    return recipe.model_copy(update={"services": services})


def _two_versions(recipe: Recipe, changes: Mapping[Role, ServiceChange]) -> Iterator[Problem]:
    """Yield the tags that make prefill and decode of different releases, which Dynamo never supports.

    Source: ai-dynamo/dynamo docs, compatibility page (0059bad). Processes of one container have one image.
    """
    tags: dict[Role, str] = {
        service.role: service.image_version or recipe.runtime.version
        for service in with_changes(recipe, changes).workers
        if service.role in _KV_ROLES
    }
    one_image = recipe.one_pod is not None
    if len({tag if one_image else release_name(tag) or tag for tag in tags.values()}) < len(_KV_ROLES):
        return
    both = " and ".join(f"{role} {tag}" for role, tag in tags.items())
    message = f"Dynamo supports no KV transfer between releases: this is {both}"
    if one_image:
        message = f"prefill and decode are processes of one container, which has one image: this is {both}"
    for role in tags:
        if (tag := changes.get(role, ServiceChange()).image_version) is not None:
            hint = "the same version for prefill and decode"
            yield Problem(f"serving.imageVersions.{role}", tag, message, suggestion=hint)


def _changed(service: ServiceRecipe, change: ServiceChange) -> ServiceRecipe:
    arguments = (*change.arguments, *(("--router-mode", change.router_mode) if change.router_mode else ()))
    variables = {**service.environment, **change.environment}
    update = {
        "environment": {name: value for name, value in variables.items() if value is not None},
        "arguments": _merged(service.arguments, arguments),
        "image_version": change.image_version or service.image_version,
    }
    return service.model_copy(update=update)


def _merged(own: tuple[str, ...], over: tuple[str, ...]) -> tuple[str, ...]:
    given = {_name(option) for option, _ in split_options(over)}
    kept = [each for each in split_options(own) if _name(each[0]) not in given]
    return (*(word for option in kept for word in option if word is not None), *over)


def _name(option: str) -> str:
    """Return an option without the `no-` that turns it off."""
    return option.replace("--no-", "--", 1)


def _place_of_variable(recipe: Recipe, service: ServiceRecipe, name: str) -> str | None:
    if name in _VARIABLES:
        return _VARIABLES[name]
    if name in CACHE_ENVIRONMENT:
        return "modelCache; every pod finds the model in one place"
    if service.engine is None:
        return None
    of_options = option_variables(WORKER_COMMANDS[recipe.framework])
    if name in of_options:
        # A plan for other options than those that act would fit nothing.
        return ".".join(("serving.overrides", service.role, *of_options[name]))
    if name in recipe.serving_engine.variables:
        return f"{_MODEL}; number formats of the experts: quantization, in a recipe of your own"
    return None


def _line(tag: str) -> list[str]:
    return tag.split(".")[:2]


def _options(recipe: Recipe, service: ServiceRecipe, arguments: tuple[str, ...]) -> Iterator[Problem]:
    key = f"serving.arguments.{service.role}"
    if arguments and recipe.engine_server is not None:
        message = f"{recipe.server} is started with what the recipe says, and its engine options"
        instead = f"serving.overrides.{service.role}"
        yield Problem(key, " ".join(arguments), message, suggestion=instead)
        return
    if arguments and not arguments[0].startswith("-"):
        message = "a value without an option: one flag or value an entry, the flag first"
        yield Problem(key, arguments[0], message)
    for option, value in split_options(arguments):
        place = _OPTIONS.get(_name(option)) or _place_of_option(recipe, service, option)
        if place is not None:
            shown = option if value is None else f"{option} {value}"
            yield Problem(key, shown, _ELSEWHERE, suggestion=place)


def _place_of_option(recipe: Recipe, service: ServiceRecipe, option: str) -> str | None:
    if service.engine is None:
        return None
    if option in recipe.model.parser_arguments:
        return "the model's description (reasoningParser, toolCallParser)"
    path = decided_option(WORKER_COMMANDS[recipe.framework], option)
    return None if path is None else ".".join(("serving.overrides", service.role, *path))


def _no_role(recipe: Recipe, role: Role, roles: Sequence[str]) -> str:
    return f"the recipe {recipe.name} has no role {role}, only {' and '.join(roles)}"


def _of_no_role(recipe: Recipe, role: Role, change: ServiceChange) -> Iterator[Problem]:
    message = _no_role(recipe, role, [service.role for service in recipe.services])
    yield from (Problem(f"serving.environment.{role}.{name}", None, message) for name in change.environment)
    others = {
        f"serving.arguments.{role}": " ".join(change.arguments),
        f"serving.imageVersions.{role}": change.image_version,
        "serving.routerMode": change.router_mode,
    }
    yield from (Problem(key, typed, message) for key, typed in others.items() if typed)
