"""An object that a stack would create, and that exists already.

The provider advises to import it, to delete it or to take over whatever exists: a claim holds the model, and
another stack's object is not this one's to take.
"""

from collections.abc import Mapping
from typing import Any

from components.cluster_answer import Objects
from components.cluster_reader import ClusterReader
from components.dynamo_objects import kind_named
from components.object_owner import Owner, owner_of
from failures.explanation import Subject, escaped

_RELEASE = "Release"


def existing_text(cluster: ClusterReader, subject: Subject, inputs: Mapping[str, Any], stack: str) -> str:
    """Return whose it is, and what to type instead of what the provider advises.

    Args:
        cluster: is asked for the object.
        subject: the object, or the Helm release.
        inputs: of the resource, with the labels of this stack.
        stack: its name.

    """
    title = f"{subject.kind} {subject.name}"
    # A release is whose its namespace is: Helm writes down nobody.
    if subject.kind == _RELEASE:
        subject = Subject("Namespace", str(subject.namespace), None)
    own = Objects(kind_named(subject.kind), subject.name, subject.namespace)
    owner = owner_of(cluster.find(own).first or {})
    is_own = owner is not None and owner in {owner_of(inputs), Owner(stack=stack)}
    if owner is None or is_own:
        whose = "it is this stack's own" if is_own else "it does not say whose it is"
        found = f"{title} exists already, and {whose}: a run may have been interrupted after it had made it."
        then = f"`dynamo-stack recover {stack}` shows what it takes over, and deletes nothing that holds data"
    else:
        found = f"{title} exists already, and belongs to {owner}."
        then = (
            f"give this stack names of its own in Pulumi.{stack}.yaml (serving.namespace, serving.name), and "
            "`platform: {kind: existing}` where a platform runs already"
        )
    lines = [
        escaped(found),
        f"What to do: {then}.",
        "Neither delete it nor import it by hand, and do not set upsertExistingObjects: that takes over "
        "whatever bears these names, also another stack's.",
        f"See: {cluster.shown(own, '--show-labels')}",
        "Runbook: docs/runbook/interrupted-run.md",
    ]
    return "\n".join(lines)
