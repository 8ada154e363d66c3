"""How long to wait, from the size of the model.

Every wait is explicit: the Kubernetes provider gives up after ten minutes of its own accord, which is less
than any download or load of a large model takes.
"""

import math

# The published recipe waits one hour for the download of 65.2 GB.
SLOWEST_DOWNLOAD_BYTES_PER_SECOND = 18_000_000
# The published recipe says "15-30 minutes depending on storage speed" for loading 65.2 GB.
SLOWEST_LOAD_BYTES_PER_SECOND = 36_000_000
# Pulling the download Job's small image, and installing its packages.
DOWNLOAD_START_SECONDS = 5 * 60
# Pulling a runtime image of about 20 GB to a node that never had it, and capturing CUDA graphs.
WORKER_START_SECONDS = 30 * 60
# The operator's startup probe allows 720 attempts, 10 s apart; a worker is restarted after that, so
# there is nothing to wait for.
LONGEST_WORKER_START_SECONDS = 2 * 3600

_MINUTE = 60


def download_timeout_seconds(model_bytes: int) -> int:
    """Return the seconds after which a download of so many bytes has failed, in whole minutes."""
    return _whole_minutes(DOWNLOAD_START_SECONDS + model_bytes / SLOWEST_DOWNLOAD_BYTES_PER_SECOND)


def ready_timeout_seconds(model_bytes: int) -> int:
    """Return the seconds after which a graph that loads so many bytes is not going to be ready."""
    seconds = _whole_minutes(WORKER_START_SECONDS + model_bytes / SLOWEST_LOAD_BYTES_PER_SECOND)
    return min(seconds, LONGEST_WORKER_START_SECONDS)


def _whole_minutes(seconds: float) -> int:
    return math.ceil(seconds / _MINUTE) * _MINUTE
