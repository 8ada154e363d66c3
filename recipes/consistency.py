"""Which parts of one recipe contradict each other.

Each finding is something that would otherwise show up as a worker that does not start, or as requests that
hang, long after the recipe was written.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pydantic import model_validator

from engines.engine import ModelUse
from engines.registry import EngineServer, Options
from engines.release import known_line_name
from hardware import ACCELERATORS
from recipes.fitting import fitted, worker_sizes
from recipes.model import Level, Recipe

if TYPE_CHECKING:
    from engines.engine import WorkerRole


class ConsistentRecipe(Recipe):
    """A recipe as it is read from a file."""

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> "ConsistentRecipe":
        # Each fit is a recipe that a stack can choose; two may have one mistake in common.
        fits: list[Recipe] = [self]
        if self.variants:
            families, sizes = self.quantization.architecture_families, worker_sizes(self) or (None,)
            fits = [fitted(self, family, gpus) for family in families for gpus in sizes]
        found = dict.fromkeys(text for fit in fits for text in contradictions(fit))
        if found:
            raise ValueError("; ".join(found))
        return self


def contradictions(recipe: Recipe) -> tuple[str, ...]:
    """Return a sentence for each contradiction, none for a sound recipe."""
    return (
        *_services(recipe),
        *_platform_lines(recipe),
        *_accelerators(recipe),
        *_evidence(recipe),
        *_engines(recipe),
    )


def _services(recipe: Recipe) -> Iterator[str]:
    names = [service.service_name.lower() for service in recipe.services]
    if len(set(names)) != len(names):
        yield "service names must differ in more than upper and lower case"
    roles: list[str] = [service.role for service in recipe.services]
    server = recipe.engine_server
    if server is not None:
        yield from _server(recipe, server, roles)
    elif not recipe.runtime.platform_lines:
        yield "runtime.platformLines is missing: on which lines of the Dynamo platform does it stand?"
    elif sorted(roles) not in (["frontend", "worker"], ["decode", "frontend", "prefill"]):
        yield (
            f"a recipe has one frontend and one worker service, or one frontend, one prefill and one decode "
            f"service, not {', '.join(roles)}"
        )
    elif recipe.one_pod is not None:
        yield from _one_pod(recipe, names)
    for service in recipe.services:
        if service.workers_per_pod > 1 and (recipe.one_pod is None or service.engine is None):
            yield f"{service.service_name}: workersPerPod is for workers that share a pod (onePod)"


def _one_pod(recipe: Recipe, names: list[str]) -> Iterator[str]:
    if not recipe.is_disaggregated:
        yield "onePod is for prefill and decode workers, and the recipe has neither: leave it out"
    if str(recipe.one_pod).lower() in names:
        yield f"onePod {recipe.one_pod} is the name of another service: write one of its own"
    if len({worker.replicas for worker in recipe.workers}) > 1:
        yield "with onePod prefill and decode have the same pods: write the same replicas, and workersPerPod"
    if len({worker.shared_memory for worker in recipe.workers}) > 1:
        yield "with onePod prefill and decode share one /dev/shm: write the same sharedMemory"


def _server(recipe: Recipe, server: EngineServer, roles: list[str]) -> Iterator[str]:
    if server.framework != recipe.framework:
        yield f"server {recipe.server} is of {server.framework}, not of {recipe.framework}"
    if roles != ["worker"]:
        yield f"with server {recipe.server} a recipe has one worker service alone, not {', '.join(roles)}"
    if recipe.runtime.platform_lines:
        yield f"server {recipe.server} needs no Dynamo platform: leave runtime.platformLines out"
    if recipe.runtime.version not in server.dynamo_releases:
        known = ", ".join(server.dynamo_releases)
        yield f"nothing is known of {recipe.server} {recipe.runtime.version}: write one of {known}"
    for worker in recipe.workers:
        if worker.arguments:
            yield f"{worker.service_name}: {recipe.server} takes its options from engine, not arguments"


def _platform_lines(recipe: Recipe) -> Iterator[str]:
    runtime = recipe.runtime
    lines = runtime.platform_lines
    if list(lines) != sorted(set(lines), key=lambda line: tuple(map(int, line.split(".")))):
        yield f"runtime.platformLines ({', '.join(lines)}) goes from the oldest line to the newest, each once"
    own = known_line_name(runtime.version)
    if lines and own is not None and own not in lines:
        yield (
            f"runtime.version {runtime.version} is of platform {own}, which runtime.platformLines "
            f"({', '.join(lines)}) does not name"
        )


def _accelerators(recipe: Recipe) -> Iterator[str]:
    families = recipe.quantization.architecture_families
    for name in (*recipe.validated_on, *(entry.accelerator for entry in recipe.evidence)):
        accelerator = ACCELERATORS.get(name)
        if accelerator is None:
            yield f"accelerator {name} is not one of {', '.join(ACCELERATORS)}"
        elif accelerator.architecture_family not in families:
            yield f"accelerator {name} is {accelerator.architecture_family}, which the recipe cannot run on"


def _evidence(recipe: Recipe) -> Iterator[str]:
    for entry in recipe.evidence:
        if entry.level is Level.MEASURED:
            yield (
                f"evidence on {entry.accelerator}: {Level.MEASURED.value!r} is earned by a run, "
                "`dynamo-stack smoke STACK --record`, and not typed"
            )


def _engines(recipe: Recipe) -> Iterator[str]:
    use = ModelUse(
        shape=recipe.model.shape,
        prompt_tokens=recipe.traffic.input_tokens,
        answer_tokens=recipe.traffic.output_tokens,
        algorithm=recipe.quantization.algorithm,
        families=recipe.quantization.architecture_families,
    )
    engine = recipe.serving_engine
    for worker in recipe.workers:
        for refusal in (*engine.refusals(worker.options, use), *_draft_model(recipe, worker.options)):
            yield f"{worker.service_name}: {refusal}"
    roles: dict[WorkerRole, Options] = {worker.worker_role: worker.options for worker in recipe.workers}
    yield from engine.contradictions(roles, use)


def _draft_model(recipe: Recipe, options: Options) -> Iterator[str]:
    known = [draft.repository for draft in recipe.model.draft_models]
    if options.draft_model is not None and options.draft_model not in known:
        pinned = f"write {' or '.join(known)}" if known else "the model's file pins none"
        yield f"the draft model {options.draft_model} is not on the model cache: {pinned}"
