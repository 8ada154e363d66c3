"""The ConfigMap with the engine's files, of a graph and of a server of the engine's own."""

import pulumi
from pulumi_kubernetes.core.v1 import ConfigMap

from components.options import ALONE, Resources, child
from recipes.engine_files import engine_files
from stacks.plan.stack_plan import ServingPlan


def engine_files_map(reader: pulumi.Resource, serving: ServingPlan, depends_on: Resources) -> Resources:
    """Register the files below what reads them, if there are any; return that and what it depends on.

    A change of content changes the name, also the logical one, so that it is another resource: the new one is
    made first, the pods roll, and the old one, which no program asks for any more, goes last. A replaced one
    would be marked for deletion as soon as its successor exists; where the roll then fails and the change is
    taken back, the engine would create what exists, and delete it last.
    """
    name, files = engine_files(serving.placed)
    if name is None:
        return depends_on
    made = ConfigMap(
        name,
        metadata={"name": name, "namespace": serving.namespace},
        data=files,
        immutable=True,
        opts=child(reader, depends_on, delete=ALONE),
    )
    return [*depends_on, made]
