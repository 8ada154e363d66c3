"""How large volumes are, and how large that of a model must be."""

import math

GIB = 2**30
# Tokenizer, configuration and vocabulary beside the tensors, the file system's own needs, and lock and
# cache files of the download client.
_OVERHEAD = 1.1
_UNITS = {"Gi": 1, "Ti": 1024}


def needed_gib(model_bytes: int) -> int:
    """Return the GiB that one revision of so many bytes takes on the volume."""
    return math.ceil(model_bytes * _OVERHEAD / GIB)


def size_in_gib(size: str) -> int:
    """Return the GiB of a volume size such as 100Gi or 2Ti."""
    number, unit = size[:-2], size[-2:]
    return int(number) * _UNITS[unit]
