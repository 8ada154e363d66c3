"""What each service of a graph is, before either API version words it."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recipes.graph_manifest.placement import frontend_scheduling, worker_scheduling
from recipes.graph_manifest.security import container_security
from recipes.images import mirrored
from recipes.model import Role
from recipes.node_directory import marker_file
from recipes.placed import PlacedRecipe, PlacedService, Rollout
from recipes.pod_environment import service_environment
from recipes.tensorrt_llm import command_line
from recipes.tensorrt_llm.kv_profiles import KvProfile, service_kv_profile

_DEPLOYMENT_STRATEGY = "nvidia.com/deployment-strategy"
_MAX_SURGE = "nvidia.com/deployment-rolling-update-max-surge"
_MAX_UNAVAILABLE = "nvidia.com/deployment-rolling-update-max-unavailable"


@dataclass(frozen=True, slots=True)
class MainContainer:
    """The container with the engine or the frontend."""

    image: str
    shell_command: str
    environment: Mapping[str, str]
    security: Mapping[str, Any]
    """Its securityContext."""
    working_directory: str | None


@dataclass(frozen=True, slots=True)
class Amounts:
    """Requests or limits of the main container."""

    cpu: str | None
    memory: str | None
    gpus: int
    """0 for none."""
    devices: Mapping[str, str]
    """Other extended resources, by their full names."""


@dataclass(frozen=True, slots=True)
class GraphService:
    """One service: everything that its pods are made from."""

    name: str
    role: Role
    replicas: int
    container: MainContainer
    requests: Amounts
    limits: Amounts
    cache_claim_name: str | None
    """None where the cache is a directory of the node."""
    cache_directory: str | None
    """Of the node; None where the cache is a claim."""
    cache_marker: str
    """File in the cache that is there as soon as the model is."""
    cache_mount_path: str
    engine_config_map_name: str | None
    """None for a frontend."""
    shared_memory: str | None
    """None leaves the operator's own 8Gi."""
    channel_template_name: str | None
    """ResourceClaimTemplate of the compute domain's channel."""
    scheduling: Mapping[str, Any]
    """Fields of the pod spec that say where the pods go."""
    annotations: Mapping[str, str] = field(default_factory=dict[str, str])


def graph_services(placed: PlacedRecipe, engine_config_map_name: str) -> tuple[GraphService, ...]:
    """Return the services of the graph in the recipe's order.

    Raises:
        ValueError: the KV transport has no image for the recipe's runtime version.

    """
    return tuple(_service(placed, service, engine_config_map_name) for service in placed.services)


def _service(placed: PlacedRecipe, service: PlacedService, engine_config_map_name: str) -> GraphService:
    placement = service.placement
    domain = placed.compute_domain
    return GraphService(
        name=service.name,
        role=service.role,
        replicas=service.replicas,
        container=_container(placed, service),
        requests=_amounts(service, limits=False),
        limits=_amounts(service, limits=True),
        cache_claim_name=None if placed.cache_directory else placed.cache_claim_name,
        cache_directory=placed.cache_directory,
        cache_marker=marker_file(placed.recipe),
        cache_mount_path=placed.recipe.model_cache.mount_path,
        engine_config_map_name=engine_config_map_name if placement else None,
        shared_memory=service.recipe.shared_memory,
        channel_template_name=domain.claim_template_name if domain and placement else None,
        scheduling=worker_scheduling(placed, service, placement)
        if placement
        else frontend_scheduling(placed),
        annotations=_rollout_annotations(placement.rollout) if placement else {},
    )


def _container(placed: PlacedRecipe, service: PlacedService) -> MainContainer:
    runtime = placed.recipe.runtime
    profile = service_kv_profile(placed, service)
    tag = profile.image_tag if profile else runtime.version
    is_worker = service.placement is not None
    return MainContainer(
        image=mirrored(f"{runtime.image}:{tag}", placed.image_mirrors),
        shell_command=_shell_command(placed, service, profile),
        environment=service_environment(placed, service),
        security=container_security(profile.privileges if profile else None, has_gpus=is_worker),
        working_directory=placed.recipe.working_directory if is_worker else None,
    )


def _shell_command(placed: PlacedRecipe, service: PlacedService, profile: KvProfile | None) -> str:
    """Return the command line for /bin/sh -c.

    With `exec` the engine takes the shell's place as process 1: a shell there would keep SIGTERM to itself,
    and the worker would be killed with its requests when the grace period ends.
    """
    if service.placement is None:
        return f"exec {shlex.join(['python3', '-m', 'dynamo.frontend', *service.recipe.arguments])}"
    command = command_line(
        served_name=placed.recipe.model.served_name,
        role=service.recipe.worker_role,
        arguments=service.recipe.arguments,
    )
    if profile is None or not profile.library_directories:
        return f"exec {command}"
    directories = ":".join(profile.library_directories)
    return f'export LD_LIBRARY_PATH="{directories}:$LD_LIBRARY_PATH" && exec {command}'


def _amounts(service: PlacedService, *, limits: bool) -> Amounts:
    placement, resources = service.placement, service.resources
    devices: Mapping[str, str] = placement.extended_resources if placement else {}
    if resources is None:
        return Amounts(None, None, service.gpus, devices)
    cpus = resources.cpu_limit if limits else resources.cpu_request
    return Amounts(str(cpus), f"{resources.memory_gib}Gi", service.gpus, devices)


def _rollout_annotations(rollout: Rollout) -> dict[str, str]:
    # Read by the operator since ai-dynamo/dynamo#4990. Its own default surges by a quarter, which waits
    # for ever in a pool that has no GPUs left for one more worker. Before 1.4 Recreate holds within one
    # generation of workers only (ai-dynamo/dynamo#11909); the limits below it reach across generations since
    # there are any (ai-dynamo/dynamo#6110): none more than wanted, and all of them may be missing.
    if rollout.strategy == "Recreate":
        return {_DEPLOYMENT_STRATEGY: "Recreate", _MAX_SURGE: "0", _MAX_UNAVAILABLE: "100%"}
    return {_DEPLOYMENT_STRATEGY: "RollingUpdate", _MAX_SURGE: "1", _MAX_UNAVAILABLE: "0"}
