"""Tags of whatever EKS holds, by its ARN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.aws_provider.cloud.gaps.eks_documents import WITH_TAGS
from lab.aws_provider.cloud.gaps.registry import answers
from lab.aws_provider.cloud.refusal import Refused

if TYPE_CHECKING:
    from lab.aws_provider.cloud.place import Place
    from lab.aws_provider.cloud.store import Document

_ARN_KEYS = ("arn", "nodegroupArn", "addonArn", "accessEntryArn", "associationArn")


@answers("eks", "TagResource")
def tag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Adds tags or changes their values."""
    kind, key, document = _find(place, given["resourceArn"])
    place.store.put(kind, key, {**document, "tags": {**document.get("tags", {}), **given["tags"]}})
    return {}


@answers("eks", "UntagResource")
def untag(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """Takes tags away."""
    kind, key, document = _find(place, given["resourceArn"])
    left = {name: value for name, value in document.get("tags", {}).items() if name not in given["tagKeys"]}
    place.store.put(kind, key, {**document, "tags": left})
    return {}


@answers("eks", "ListTagsForResource")
def tags(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """The tags."""
    return {"tags": _find(place, given["resourceArn"])[2].get("tags", {})}


def _find(place: Place, arn: str) -> tuple[str, str, Document]:
    for kind in WITH_TAGS:
        for key, document in place.store.items(kind, place.key("")):
            if arn in {document.get(name) for name in _ARN_KEYS}:
                return kind, key, document
    raise Refused("NotFoundException", f"No resource found for ARN: {arn}")
