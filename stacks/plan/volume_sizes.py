"""How large volumes are, and how large that of a model must be."""

import math
import re

GIB = 2**30
# Tokenizer, configuration and vocabulary beside the tensors, the file system's own needs, and lock and
# cache files of the download client.
_OVERHEAD = 1.1
_SIZE = re.compile(r"(\d+)(Mi|Gi|Ti)")
_UNITS = {"Mi": 1 / 1024, "Gi": 1, "Ti": 1024}


def needed_gib(model_bytes: int) -> int:
    """Return the GiB that one revision of so many bytes takes on the volume."""
    return math.ceil(model_bytes * _OVERHEAD / GIB)


def size_in_gib(size: str) -> int:
    """Return the whole GiB of a volume size such as 100Gi or 2Ti."""
    return int(gib(size))


def gib(quantity: str) -> float:
    """Return a Kubernetes quantity such as 80Gi in GiB.

    Raises:
        ValueError: the quantity is not a whole number of Mi, Gi or Ti.

    """
    found = _SIZE.fullmatch(quantity)
    if found is None:
        raise ValueError(f"{quantity} is not a size in Mi, Gi or Ti")
    return int(found[1]) * _UNITS[found[2]]
