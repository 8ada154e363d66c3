"""What `pulumi destroy` leaves in the cluster."""

from stacks.resolved import Lifecycle, RetainedObject
from stacks.versions import PlatformRelease

_CRD_REASON = (
    "Helm never deletes custom resource definitions: every object of the kind would go with them, also those "
    "of other stacks"
)


def retained_objects(
    lifecycle: Lifecycle, release: PlatformRelease, namespace: str, claim_name: str
) -> tuple[RetainedObject, ...]:
    """Return all of it, in the order in which a person would remove it."""
    definitions = tuple(
        RetainedObject("CustomResourceDefinition", name, None, _CRD_REASON)
        for name in release.custom_resource_definitions
    )
    if lifecycle == "disposable":
        return definitions
    return (
        RetainedObject(
            "PersistentVolumeClaim", claim_name, namespace, "lifecycle production keeps the downloaded model"
        ),
        RetainedObject("Namespace", namespace, None, "it holds the model cache, and would take it along"),
        *definitions,
    )
