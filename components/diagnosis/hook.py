"""Ties the explanations to the resources whose waits can end without what they waited for."""

import asyncio

import pulumi

from components.diagnosis.cluster_reader import ClusterReader
from components.diagnosis.explain import (
    FailedOperation,
    explanation,
    kind_of,
    pause_before_another_try,
    seconds_of,
)

_HOOK_NAME = "says-why-a-wait-ended"


def explain_waits(cluster: ClusterReader) -> None:
    """Let every object that is registered from here on say why a wait for it ended, or an update was refused.

    A transformation and not an option of each resource, so that no component can forget it. Needs an engine
    to call back: Pulumi's mock monitors have none. At `pulumi destroy` the engine runs no program and so no
    hook, except with --run-program.

    Args:
        cluster: where to look.

    """
    limits: dict[tuple[str, str], pulumi.CustomTimeouts] = {}
    stack = pulumi.get_stack()

    async def say_why(failure: pulumi.ErrorHookArgs) -> bool:
        limit = limits.get((failure.type, failure.name))
        inputs = failure.old_inputs if failure.failed_operation == "delete" else failure.new_inputs
        failed = FailedOperation(
            operation=failure.failed_operation,
            kind=kind_of(failure.type),
            inputs=inputs or {},
            error=failure.errors[0] if failure.errors else "",
            waited_seconds=seconds_of(getattr(limit, failure.failed_operation, None)),
            stack=stack,
        )
        pause = pause_before_another_try(failed, tries=len(failure.errors))
        if pause is not None:
            await asyncio.sleep(pause)
            return True
        said = explanation(cluster, failed)
        if said is not None:
            pulumi.log.error(said)
        return False

    hook = pulumi.ErrorHook(_HOOK_NAME, say_why)

    def with_hook(
        registration: pulumi.ResourceTransformationArgs,
    ) -> pulumi.ResourceTransformationResult | None:
        if not kind_of(registration.type_):
            return None
        options = registration.opts
        limit = options.custom_timeouts
        if isinstance(limit, pulumi.CustomTimeouts):
            limits[registration.type_, registration.name] = limit
        bound = pulumi.ResourceOptions(hooks=pulumi.ResourceHookBinding(on_error=[hook]))
        return pulumi.ResourceTransformationResult(
            registration.props, pulumi.ResourceOptions.merge(options, bound)
        )

    pulumi.runtime.register_stack_transformation(with_hook)
