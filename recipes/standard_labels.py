"""Kubernetes' recommended labels: what each object and pod of a stack bears beside the labels that find it.

https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/. The guide of the published
recipe looks for its pods by `app.kubernetes.io/part-of=<graph>`, which Dynamo's operator does not write.
"""

import re

_PREFIX = "app.kubernetes.io/"
NAME = f"{_PREFIX}name"
_LONGEST = 63
"""Characters of a label's value (kubernetes/apimachinery pkg/util/validation, LabelValueMaxLength)."""
_FOREIGN = re.compile(r"[^A-Za-z0-9._-]+")


def standard_labels(
    name: str, *, instance: str, component: str, part_of: str, version: str
) -> dict[str, str]:
    """Return the six labels.

    Args:
        name: of the software.
        instance: stack that made the object.
        component: part that it plays.
        part_of: graph that all of the stack is there for.
        version: of the software, or of what the object was made for.

    """
    values = {
        "name": name,
        "instance": instance,
        "component": component,
        "part-of": part_of,
        "managed-by": "pulumi",
        "version": version,
    }
    return {f"{_PREFIX}{key}": label_value(value) for key, value in values.items()}


def label_value(text: str) -> str:
    """Return the text as the value of a label: what a label may not hold becomes a hyphen."""
    return _FOREIGN.sub("-", text)[:_LONGEST].strip("._-")
