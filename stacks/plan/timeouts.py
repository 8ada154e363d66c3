"""How long things take and how long to wait for them, from the size of the model and the speed of storage.

Every wait is explicit: the Kubernetes provider gives up after ten minutes of its own accord, which is less
than any download or load of a large model takes.
"""

import math
from dataclasses import dataclass

# The published recipe waits one hour for the download of 65.2 GB.
SLOWEST_DOWNLOAD_BYTES_PER_SECOND = 18_000_000
# The published recipe says "15-30 minutes depending on storage speed" for loading 65.2 GB.
SLOWEST_LOAD_MEGABYTES_PER_SECOND = 36
# Pulling the download Job's small image, and installing its packages.
DOWNLOAD_START_SECONDS = 5 * 60
# Pulling a runtime image of about 20 GB to a node that never had it, and capturing CUDA graphs.
WORKER_START_SECONDS = 30 * 60
# The operator's startup probe allows 720 attempts, 10 s apart, and then restarts the worker: waiting longer
# helps nobody.
LONGEST_WORKER_START_SECONDS = 2 * 3600
NODES_WAIT_SECONDS = 1200
"""For how long `up` waits for the nodes of a pool that has some: a machine with eight GPUs boots in about ten
minutes, and the GPU operator's images follow."""

_MINUTE = 60
_MEGABYTE = 1_000_000


def download_timeout_seconds(model_bytes: int) -> int:
    """Return the seconds after which a download of so many bytes has failed, in whole minutes."""
    return _whole_minutes(DOWNLOAD_START_SECONDS + model_bytes / SLOWEST_DOWNLOAD_BYTES_PER_SECOND)


def check_timeout_seconds(model_bytes: int) -> int:
    """Return the seconds after which a check that reads so many bytes once has failed."""
    return _whole_minutes(DOWNLOAD_START_SECONDS + load_of(model_bytes, None).seconds)


@dataclass(frozen=True, slots=True)
class Load:
    """What a new worker does before it serves."""

    seconds: float
    words: str
    """As in "has loaded 65.2 GB, about 31 min at 36 MB/s"."""

    @property
    def minutes(self) -> int:
        """Whole minutes, rounded up."""
        return math.ceil(self.seconds / _MINUTE)

    @property
    def ready_timeout_seconds(self) -> int:
        """Seconds after which a graph whose workers load so much is not going to be ready."""
        return min(_whole_minutes(WORKER_START_SECONDS + self.seconds), LONGEST_WORKER_START_SECONDS)


def load_of(model_bytes: int, read_megabytes_per_second: int | None) -> Load:
    """Return what a new worker has to read, and how long that takes.

    Args:
        model_bytes: size of the files.
        read_megabytes_per_second: what one node reads; None: the slowest that the publisher's times allow.

    """
    rate = read_megabytes_per_second or SLOWEST_LOAD_MEGABYTES_PER_SECOND
    seconds = model_bytes / (rate * _MEGABYTE)
    minutes = math.ceil(seconds / _MINUTE)
    return Load(seconds, f"has loaded {model_bytes / 1e9:.1f} GB, about {minutes} min at {rate:,} MB/s")


def _whole_minutes(seconds: float) -> int:
    return math.ceil(seconds / _MINUTE) * _MINUTE
