"""What clients lose with one pod of a graph, and for how long nothing serves then."""

from collections.abc import Iterable

from recipes.placed import PlacedService
from stacks.plan.stack_plan import ServingPlan
from stacks.wording import alternatives

FRONTEND_BACK_SECONDS = 30
"""A frontend's process is started again at once. The operator's readiness probe asks it after 10 s, then each
10 s; the rest is for the start of Python and of the runtime (docs/faults-under-load.md)."""


def losses(serving: ServingPlan) -> Iterable[str]:
    """Say what is lost when a pod's process dies, for every service, and when a pod is told to end."""
    alike: dict[str, list[str]] = {}
    for service in serving.placed.services:
        number = "the only" if service.replicas == 1 else f"one of {service.replicas}"
        alike.setdefault(f"{number} {{}}: {_effect(service, serving)}", []).append(service.name)
    killed = "; of ".join(sentence.format(alternatives(names)) for sentence, names in alike.items())
    ends = "a pod finishes them"
    if serving.placed.recipe.engine_server is not None:
        ends = "what it does with answers under way is not known"
    yield f"when a process dies, of {killed}; told to end, {ends}"


def _effect(service: PlacedService, serving: ServingPlan) -> str:
    if service.placement is None:
        return "its answers" + (f" and {FRONTEND_BACK_SECONDS} s of service" if service.replicas == 1 else "")
    if service.replicas == 1:
        return f"its answers and {serving.load.minutes} min of service"
    # A prompt that is being computed is not begun again elsewhere (docs/faults-under-load.md).
    return "its prompts" if service.role == "prefill" else "nothing, its answers go on at another"
