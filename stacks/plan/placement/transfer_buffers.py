"""Whether the buffers that carry the KV cache hold what the prefill worker admits."""

from collections.abc import Sequence

from recipes.model import Recipe
from recipes.tensorrt_llm import BACKENDS_WITH_FIXED_BUFFERS
from recipes.tensorrt_llm.kv_transport import kv_profile
from stacks.errors import Problem
from stacks.plan.placement.assignment import Assigned
from stacks.plan.placement.kv_transport import TransportChoice

_BUFFER = "cache_transceiver_config.max_tokens_in_buffer"


def buffer_problems(
    recipe: Recipe,
    assigned: Sequence[Assigned],
    choice: TransportChoice | None,
) -> tuple[Problem, ...]:
    """Return the workers whose buffer is below the longest prompt, where the backend cannot grow it.

    The backend is the transport's, whatever the recipe names. UCX and MPI allocate another buffer for a
    longer prompt, so for them no size is too small.
    """
    if choice is None:
        return ()
    longest = recipe.engine_of("prefill").longest_prompt(recipe.model.max_positions)
    problems: list[Problem] = []
    for one in assigned:
        profile = kv_profile(
            choice.name,
            instance_type=one.pool.instance_type,
            runtime_version=recipe.runtime.version,
            roce=one.pool.rdma is not None and one.pool.rdma.fabric == "roce",
        )
        engine = recipe.engine_of(one.worker.worker_role)
        transceiver = engine.cache_transceiver_config
        buffer = transceiver.max_tokens_in_buffer if transceiver else None
        if profile.backend not in BACKENDS_WITH_FIXED_BUFFERS or buffer is None or buffer >= longest:
            continue
        block = engine.tokens_per_block
        role = one.worker.worker_role
        message = (
            f"{role} max_tokens_in_buffer {buffer} is smaller than the longest prompt that prefill admits, "
            f"{longest}, and the buffers of kvTransport {choice.name} (backend {profile.backend}) do not grow"
        )
        problems.append(
            Problem(
                f"serving.overrides.{role}.{_BUFFER}",
                buffer,
                message,
                suggestion=f"{-(-longest // block) * block} or more, or a lower max_seq_len of prefill",
            )
        )
    return tuple(problems)
