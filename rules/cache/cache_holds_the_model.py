"""A model claim is as large as the model."""

from collections.abc import Iterator

from hardware import checkpoint_bytes
from resource_graph import ResourceGraph
from rules.model import EVERY_RELEASE, Observation, Rule, Severity, failed
from rules.reading.storage.model_volumes import ModelVolume, check_model_volumes


def _check(graph: ResourceGraph) -> Iterator[Observation]:
    return check_model_volumes(graph, _check_volume)


def _check_volume(volume: ModelVolume) -> Iterator[Observation]:
    if volume.claim is None or not volume.models:
        return
    needed = sum(checkpoint_bytes(model) for model in volume.models.values())
    size = volume.claim.bytes
    if size >= needed:
        return
    yield failed(
        volume.claim.resource,
        volume.name,
        f"asks for {volume.claim.storage} ({float(size) / 1e9:.1f} GB), but the tensors of "
        f"{', '.join(sorted(volume.models))} alone take {needed / 1e9:.1f} GB",
    )


RULE = Rule(
    id="cache-holds-the-model",
    title="A model claim is as large as the model",
    severity=Severity.MANDATORY,
    reason="The download ends with no space left on the device, and no worker starts.",
    source="https://huggingface.co/openai/gpt-oss-120b (model.safetensors.index.json, total_size)",
    lines=EVERY_RELEASE,
    fix="Ask for twice what a revision takes: 150Gi for gpt-oss-120b.",
    check=_check,
)
