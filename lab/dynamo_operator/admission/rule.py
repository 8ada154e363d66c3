"""What the rules share."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lab.controller.api import Manifest
    from lab.dynamo_operator.configuration import OperatorConfiguration

ENABLE_GROVE = "nvidia.com/enable-grove"
_QUANTITY_NUMBER = re.compile(r"^[+-]?[0-9.]+")


class Refused(Exception):  # noqa: N818  # named for what the API server says, not for a fault of the program
    """The graph is refused; the text goes to the person who sent it."""


@dataclass(frozen=True)
class Circumstances:
    """What a rule may know beside the graph itself."""

    configuration: OperatorConfiguration
    # The API group of the Gateway API Inference Extension, without which an EPP component cannot work.
    has_inference_pools: bool = False
    user: str = ""


def services_of(graph: Manifest) -> dict[str, Manifest]:
    """The graph's services by name."""
    services: dict[str, Manifest] = graph.get("spec", {}).get("services") or {}
    return services


def annotations_of(graph: Manifest) -> dict[str, str]:
    """The annotations on the graph object itself."""
    annotations: dict[str, str] = graph["metadata"].get("annotations") or {}
    return annotations


def uses_grove(graph: Manifest, configuration: OperatorConfiguration) -> bool:
    """Whether the graph would become a PodCliqueSet."""
    return configuration.grove_enabled and annotations_of(graph).get(ENABLE_GROVE) != "false"


def is_positive_quantity(quantity: object) -> bool:
    """Whether a Kubernetes quantity is above zero; its suffix cannot change that."""
    number = _QUANTITY_NUMBER.match(str(quantity))
    return number is not None and Decimal(number[0]) > 0
