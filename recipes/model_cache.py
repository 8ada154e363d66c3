"""Where the model's files lie in every pod, and what downloads them; the same for every model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from engines.models import hub_folder


@dataclass(frozen=True, slots=True)
class ModelCache:
    """Paths of the cache, and the Job that fills it."""

    mount_path: str = "/opt/models"
    """Correction K16: the runtime's image does not run as root."""
    vocabulary_directory: str = "/opt/models/tiktoken"
    download_job_name: str = "model-download"
    download_image: str = (
        "python:3.12.14-slim-bookworm@sha256:0f5b26b9518d002b6173fd61daad821fa340635ebfec5bba471013f9ca114579"
    )
    """Correction D22; for amd64 and arm64."""
    download_packages: tuple[str, ...] = ("huggingface_hub==1.11.0",)
    """Correction K18: without hf_transfer."""
    download_memory_limit: str = "8Gi"
    download_environment: Mapping[str, str] = field(
        # The buffers of the xet client grow with the host's memory, not with the container's; without both
        # limits the Job ends as OOMKilled (ai-dynamo/dynamo#9884).
        default_factory=lambda: {"HF_XET_RECONSTRUCTION_DOWNLOAD_BUFFER_LIMIT": "4gb"}
    )


class Pinned(Protocol):
    """A repository at one revision."""

    @property
    def repository(self) -> str:
        """Owner and name on the hub."""
        ...

    @property
    def revision(self) -> str:
        """Commit."""
        ...


MODEL_CACHE = ModelCache()


def snapshot_directory(pinned: Pinned) -> str:
    """Return the directory of the revision in the mounted cache, in the hub's own layout."""
    return f"{MODEL_CACHE.mount_path}/hub/{hub_folder(pinned.repository)}/snapshots/{pinned.revision}"
