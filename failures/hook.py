"""Ties the explanations to resources whose waits can end too early, or that AWS can refuse."""

import asyncio
from collections.abc import Awaitable, Callable

import pulumi

from components.cluster_reader import ClusterReader
from failures.aws.message import refused_text
from failures.early_end import Waits, end_run
from failures.failed_operation import explanation, kind_of, pause_before_another_try

# The engine writes them into the state of each resource and asks for them there: they stay as they were.
_HOOK_NAME, _BEGUN_NAME, _ENDED_NAME = "says-why-a-wait-ended", "knows-that-it-begins", "knows-that-it-ended"
_AWS = "aws:"


def explain_failures(reader: Callable[[], ClusterReader]) -> None:
    """Let all that is registered from here on say why a wait for it ended, or why it was refused.

    A transformation and not an option of each resource, so that no component can forget it; why no
    transform: docs/adr/0035-labels-and-hooks-are-transformations.md. Needs an engine to call back: Pulumi's
    mock monitors have none. At `pulumi destroy` the engine runs no program and so no hook, except with
    --run-program.
    """
    waits = Waits(reader, pulumi.log.error, end_run)

    def note_begin(begins: pulumi.ResourceHookArgs) -> None:
        waits.begun(begins.urn, kind_of(begins.type), begins.new_inputs or {})

    hook = pulumi.ErrorHook(_HOOK_NAME, _explainer(reader, waits))
    begun = [pulumi.ResourceHook(_BEGUN_NAME, note_begin)]
    ended = [pulumi.ResourceHook(_ENDED_NAME, lambda ends: waits.ended(ends.urn))]

    def with_hook(
        registration: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        if not kind_of(registration.type_) and not registration.type_.startswith(_AWS):
            return None
        binding = pulumi.ResourceHookBinding(
            before_create=begun, before_update=begun, after_create=ended, after_update=ended, on_error=[hook]
        )
        bound = pulumi.ResourceOptions(hooks=binding)
        return pulumi.ResourceTransformationResult(
            registration.props, pulumi.ResourceOptions.merge(registration.opts, bound)
        )

    pulumi.runtime.register_stack_transformation(with_hook)


def _explainer(
    reader: Callable[[], ClusterReader], waits: Waits
) -> Callable[[pulumi.ErrorHookArgs], Awaitable[bool]]:
    stack = pulumi.get_stack()

    async def say_why(failure: pulumi.ErrorHookArgs) -> bool:
        of_aws = failure.type.startswith(_AWS)
        pause = None if of_aws else pause_before_another_try(failure)
        if pause is not None:
            await asyncio.sleep(pause)
            return True
        waits.ended(failure.urn)
        text = refused_text(failure, stack) if of_aws else explanation(reader(), failure, stack)
        once = "" if of_aws else reader().once
        if text:
            hint = f"\nFor kubectl to reach the cluster, once: {once}" if once else ""
            pulumi.log.error(f"{text}{hint}")
        return False

    return say_why
