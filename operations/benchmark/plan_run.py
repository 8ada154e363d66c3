"""What a person asked for as a run, with everything refused that can be refused before, and its measuring."""

from components.cluster_answer import PODS, Objects
from components.dynamo_objects import GRAPH_NAME
from failures.pods_and_events import has_ended, is_ready, pod_reasons
from operations.benchmark.aiperf import measure
from operations.benchmark.job_run import BenchmarkJob
from operations.benchmark.progress import BenchProgress
from operations.benchmark.recording import PlannedRun, Recording, begun_result
from operations.benchmark.result import Engine
from operations.benchmark.shapes import Wanted, loads_of_address, loads_of_recipe
from operations.commands import ClusterCommands
from operations.errors import CommandError
from operations.port_forward import FORWARD_NOTE
from operations.smoke.client import Frontend
from operations.smoke.graph_pods import is_mock
from operations.smoke.registration import listed_models
from operations.smoke.results import WrongAnswer
from recipes.benchmark import AIPERF_VERSION, Endpoint
from recipes.benchmark_job import benchmark_job
from recipes.model import Recipe
from recipes.placed import PlacedRecipe
from resource_graph.spelling import nearest
from stacks.plan.recipe_files import read_recipe
from stacks.plan.stack_plan import StackPlan

_METHOD_OF_ADDRESSES = "gpt-oss-120b/trtllm-agg"
"""Recipe whose benchmark is taken where nobody names another: requests per concurrency, seed, AIPerf."""


def run_of_stack(stack: StackPlan, engine: Engine, wanted: Wanted) -> PlannedRun:
    """Return the run of a stack.

    Raises:
        CommandError: its engines refuse what is wanted.

    """
    recipe = stack.serving.placed.recipe
    begun = begun_result(
        engine,
        FORWARD_NOTE if wanted.from_here else None,
        target=stack.name,
        model=recipe.model.served_name,
        recipe=recipe.name,
        runtime=f"{recipe.runtime.image}:{recipe.runtime.version}",
        gpus=recipe.gpus,
        accelerators=stack.used_accelerators,
        generator="here" if wanted.from_here else "job",
        aiperf=AIPERF_VERSION,
    )
    longest = wanted.seconds or recipe.benchmark.deadline_seconds
    return PlannedRun(begun, recipe, loads_of_recipe(wanted, recipe), longest)


def run_of_address(
    url: str,
    model: str,
    wanted: Wanted,
    recipe: Recipe | None,
) -> PlannedRun:
    """Return the run of an address.

    Args:
        url: the address.
        model: what it serves.
        wanted: what a person asked for.
        recipe: what is behind it; None where nobody names one.

    Raises:
        CommandError: the engines of the recipe refuse what is wanted.
        SettingsError: the recipe that stands in for one that nobody names cannot be used.

    """
    gpus, accelerator = wanted.gpus
    measured_as = recipe or read_recipe(_METHOD_OF_ADDRESSES)
    begun = begun_result(
        "mock" if wanted.mock else "real",
        target=url,
        model=model,
        recipe=None,
        runtime=None,
        gpus=gpus,
        accelerators=(accelerator,) if accelerator else (),
        generator="here",
        aiperf=AIPERF_VERSION,
    )
    benchmark = measured_as.benchmark
    loads = loads_of_recipe(wanted, recipe) if recipe else loads_of_address(wanted, benchmark)
    return PlannedRun(begun, measured_as, loads, wanted.seconds or benchmark.deadline_seconds)


def endpoint_here(run: PlannedRun, wanted: Wanted, url: str) -> Endpoint:
    """Return what AIPerf addresses on this machine: with the model's own tokenizer, or with another one."""
    recipe = run.recipe
    is_dynamo = recipe.engine_server is None
    if wanted.tokenizer is not None:
        return Endpoint(url, run.begun.model, wanted.tokenizer, is_dynamo=is_dynamo)
    return Endpoint(url, run.begun.model, recipe.model.repository, recipe.model.revision, is_dynamo)


_SECONDS = 10


def served_model(url: str, wanted: str | None) -> str:
    """Return the model to measure: the wanted one, or the only one that is served.

    Raises:
        CommandError: nobody answers, or the model is not served.

    """
    # Not through a proxy of the environment: AIPerf uses none either.
    frontend = Frontend(lambda: url, seconds=_SECONDS, by_proxy=False)
    try:
        models = listed_models(frontend, _SECONDS)
    except WrongAnswer as error:
        raise CommandError(f"{url}/v1/models: {error}") from None
    served = ", ".join(models) or "no model"
    if wanted is None:
        if len(models) == 1:
            return models[0]
        hint = "  try: --model NAME" if models else "  try: wait until its workers have registered"
        raise CommandError(f"{url} serves {served}\n{hint}")
    if wanted in models:
        return wanted
    meant = nearest(wanted, models)
    hint = f"\n  try: --model {meant}" if meant else ""
    raise CommandError(f"{url} does not serve {wanted}: it serves {served}{hint}")


def serving_engine(stack: StackPlan, cluster: ClusterCommands) -> Engine:
    """Return what answers in the stack's graph.

    Raises:
        CommandError: the cluster does not answer, or the graph does not serve with all of its pods.

    """
    placed = stack.serving.placed
    own = Objects(PODS, namespace=placed.namespace, labels=f"{GRAPH_NAME}={placed.graph_name}")
    pods = [pod for pod in cluster.found(own) if not has_ended(pod)]
    graph = f"graph {placed.graph_name} in namespace {placed.namespace}"
    if not pods:
        raise CommandError(f"{graph} has no pod: there is nothing to measure\n  try: `pulumi up` deploys it")
    # With a part of its workers it would be slower than it is.
    if any(not is_ready(pod) for pod in pods):
        lines = "\n".join(f"  {reason}" for reason in pod_reasons(pods))
        raise CommandError(f"{graph} does not serve with all of its pods\n{lines}")
    return "mock" if any(map(is_mock, pods)) else "real"


def measure_here(
    run: PlannedRun,
    program: str,
    endpoint: Endpoint,
    recording: Recording,
    progress: BenchProgress,
) -> None:
    """Send every load with the AIPerf of this machine.

    Raises:
        CommandError: AIPerf failed, or took too long.

    """
    for load in run.loads:
        progress.begin_next()
        folder = recording.next_folder
        summary = measure(
            program, run.recipe.benchmark, load, endpoint, folder, seconds=run.seconds, report=progress.moved
        )
        progress.measured(recording.add(summary))


def measure_in_cluster(
    run: PlannedRun,
    placed: PlacedRecipe,
    cluster: ClusterCommands,
    recording: Recording,
    progress: BenchProgress,
) -> None:
    """Send every load from one Job to the graph of a placed recipe.

    Raises:
        CommandError: the Job is there already, does not start or fails.

    """
    manifest = benchmark_job(placed, loads=run.loads, deadline_seconds=run.seconds * len(run.loads))

    def received(summary: str) -> None:
        progress.measured(recording.add(summary))
        progress.begin_next()

    progress.begin_next()
    BenchmarkJob(cluster, manifest, len(run.loads), progress, received).run()
