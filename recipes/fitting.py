"""One recipe for several kinds and numbers of GPUs: what differs, and the recipe for one of them."""

from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from hardware import ACCELERATORS, ArchitectureFamily
from recipes.model import Recipe, Variant
from recipes.services import ServiceRecipe, option_messages, with_options


def worker_sizes(recipe: Recipe) -> tuple[int, ...]:
    """Return the numbers of GPUs that one worker can have, smallest first.

    Of a recipe with one kind of worker; with prefill and decode each has the one of its own.
    """
    own = [] if recipe.is_disaggregated else [worker.gpus for worker in recipe.workers]
    return tuple(sorted({*own, *(variant.gpus for variant in recipe.variants if variant.gpus)}))


def usable_accelerators(recipe: Recipe) -> Iterator[str]:
    """Return the GPUs that the recipe runs on: of its families, on nodes with room for a worker.

    No worker spans nodes.
    """
    sizes = worker_sizes(recipe)
    needed = sizes[0] if sizes else max(pod.gpus for pod in recipe.pods)
    return (
        accelerator.name
        for accelerator in ACCELERATORS.values()
        if accelerator.architecture_family in recipe.quantization.architecture_families
        and needed <= max(accelerator.host.gpu_counts)
    )


def fitted(recipe: Recipe, family: ArchitectureFamily, gpus: int | None = None) -> Recipe:
    """Return the recipe for GPUs of one family, and workers of so many; None: of the recipe's own number.

    Raises:
        ValueError: a variant has options that the engine refuses.

    """
    size = gpus
    if size is None and not recipe.is_disaggregated:
        size = next(worker.gpus for worker in recipe.workers)
    chosen = {
        index: variant
        for index, variant in enumerate(recipe.variants)
        if (variant.families is None or family in variant.families) and variant.gpus in {None, size}
    }
    algorithms = [variant.algorithm for variant in chosen.values() if variant.algorithm]
    others = {name for name, gpu in ACCELERATORS.items() if gpu.architecture_family != family}
    return recipe.model_copy(
        update={
            "services": tuple(_with_all(service, chosen) for service in recipe.services),
            "quantization": recipe.quantization.model_copy(
                update={
                    "architecture_families": (family,),
                    "algorithm": algorithms[-1] if algorithms else recipe.quantization.algorithm,
                }
            ),
            "validated_on": tuple(name for name in recipe.validated_on if name not in others),
            "evidence": tuple(each for each in recipe.evidence if each.accelerator not in others),
        }
    )


def _with_all(service: ServiceRecipe, variants: Mapping[int, Variant]) -> ServiceRecipe:
    if service.engine is None:
        return service
    role = service.worker_role
    for index, variant in variants.items():
        try:
            service = with_options(service, variant.engine.get(role, {}))
        except ValidationError as error:
            found = "; ".join(option_messages(error))
            raise ValueError(f"variants[{index}].engine.{role}: {found}") from None
        variables = {**service.environment, **variant.environment.get(role, {})}
        service = service.model_copy(update={"environment": variables})
    return service
