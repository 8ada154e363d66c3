"""From what a person asked for to what is sent, with everything refused that can be refused before."""

from dataclasses import dataclass

from operations.benchmark.aiperf_here import pinned_requirement
from operations.benchmark.recording import PlannedRun
from operations.benchmark.result import Engine
from operations.benchmark.shapes import Wanted, loads_of_address, loads_of_recipe
from operations.port_forward import FORWARD_NOTE
from recipes.aiperf_command import Endpoint
from recipes.model import Recipe
from stacks.plan.recipe_files import read_recipe
from stacks.plan.stack_plan import StackPlan

_METHOD_OF_ADDRESSES = "gpt-oss-120b/trtllm-agg"
"""Recipe whose benchmark is taken where nobody names another: requests per concurrency, seed, AIPerf."""


@dataclass(frozen=True, slots=True)
class MeasuredAddress:
    """What a person says of an address."""

    url: str
    model: str
    concurrency: int
    """Where nobody names a recipe, which has one."""
    is_mock: bool
    gpus: int | None
    accelerator: str | None


def run_of_stack(
    stack: StackPlan, engine: Engine, wanted: Wanted, *, in_cluster: bool, seconds: int | None
) -> PlannedRun:
    """Return the run of a stack; `seconds` is the longest time of a load, None the recipe's.

    Raises:
        CommandError: its engines refuse what is wanted.

    """
    placed, recipe = stack.serving.placed, stack.serving.placed.recipe
    return PlannedRun(
        target=stack.name,
        model=recipe.model.served_name,
        benchmark=recipe.benchmark,
        loads=loads_of_recipe(wanted, recipe),
        seconds=seconds or recipe.benchmark.deadline_seconds,
        in_cluster=in_cluster,
        engine=engine,
        aiperf=_version(recipe),
        gpus=recipe.gpus,
        accelerators=stack.used_accelerators,
        recipe=recipe.name,
        runtime=f"{recipe.runtime.image}:{recipe.runtime.version}",
        note=None if in_cluster else FORWARD_NOTE,
        placed=placed,
    )


def run_of_address(
    address: MeasuredAddress, wanted: Wanted, recipe: Recipe | None, *, seconds: int | None
) -> PlannedRun:
    """Return the run of an address; `seconds` is the longest time of a load, None the method's.

    Raises:
        CommandError: the engines of the recipe that is behind the address refuse what is wanted.
        SettingsError: the recipe that stands in for one that nobody names cannot be used.

    """
    if recipe is None:
        recipe = method_of_addresses()
        loads = loads_of_address(wanted, recipe.benchmark, address.concurrency)
    else:
        loads = loads_of_recipe(wanted, recipe)
    return PlannedRun(
        target=address.url,
        model=address.model,
        benchmark=recipe.benchmark,
        loads=loads,
        seconds=seconds or recipe.benchmark.deadline_seconds,
        in_cluster=False,
        engine="mock" if address.is_mock else "real",
        aiperf=_version(recipe),
        gpus=address.gpus,
        accelerators=(address.accelerator,) if address.accelerator else (),
    )


def method_of_addresses() -> Recipe:
    """Return the recipe by whose benchmark an address is measured.

    Raises:
        SettingsError: its file cannot be used.

    """
    return read_recipe(_METHOD_OF_ADDRESSES)


def endpoint_here(run: PlannedRun, recipe: Recipe, url: str, tokenizer: str | None) -> Endpoint:
    """Return what AIPerf addresses on this machine: with the model's own tokenizer, or with another one."""
    is_dynamo = recipe.engine_server is None
    if tokenizer is not None:
        return Endpoint(url, run.model, tokenizer, is_dynamo=is_dynamo)
    return Endpoint(url, run.model, recipe.model.repository, recipe.model.revision, is_dynamo)


def _version(recipe: Recipe) -> str:
    return pinned_requirement(recipe.benchmark).partition("==")[2]
