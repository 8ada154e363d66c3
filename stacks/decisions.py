"""Why the stack is as it is, for `explain`."""

from stacks.resolved import Decision, ResolvedCache, ResolvedServing
from stacks.settings import StackSettings
from stacks.wording import in_words


def decisions(
    settings: StackSettings, serving: ResolvedServing, cache: ResolvedCache
) -> tuple[Decision, ...]:
    """Return one decision for everything that was worked out or that a person should know was chosen."""
    return (
        *_placements(serving),
        *_rollouts(serving),
        Decision("KV transport", serving.kv_transport.name, serving.kv_transport.reason),
        Decision(
            "model cache",
            f"{cache.size_gib}Gi",
            f"{serving.placed.recipe.model.repository} at its pinned revision needs {cache.needed_gib}Gi",
        ),
        Decision(
            "wait for the download",
            f"{cache.download_timeout_seconds} s",
            _timeout_reason(settings.model_cache.download_timeout_seconds),
        ),
        Decision(
            "wait for the graph",
            f"{serving.ready_timeout_seconds} s",
            _timeout_reason(settings.serving.ready_timeout_seconds),
        ),
        Decision("lifecycle", settings.lifecycle, _lifecycle_reason(settings)),
    )


def _placements(serving: ResolvedServing) -> tuple[Decision, ...]:
    return tuple(
        Decision(
            f"nodes of {worker.name}",
            ", ".join(f"{label}={value}" for label, value in worker.placement.node_selector.items()),
            f"pool {worker.placement.pool} has {worker.placement.instance_type} nodes; "
            f"one of them holds a worker's {in_words(worker.gpus, 'GPU')}",
        )
        for worker in serving.placed.workers
        if worker.placement
    )


def _rollouts(serving: ResolvedServing) -> tuple[Decision, ...]:
    return tuple(
        Decision(
            f"rollout of {worker.name}", worker.placement.rollout.strategy, worker.placement.rollout.reason
        )
        for worker in serving.placed.workers
        if worker.placement
    )


def _timeout_reason(typed: int | None) -> str:
    return "typed" if typed else "from the size of the model, at the slowest rates the recipe publishes"


def _lifecycle_reason(settings: StackSettings) -> str:
    if settings.lifecycle == "disposable":
        return "`destroy` removes the namespaces and the downloaded model"
    return "the model cache and its namespace are protected, and kept when they leave the stack"
