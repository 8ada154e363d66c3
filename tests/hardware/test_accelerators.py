"""What holds of every GPU of the registry."""

import pytest

from hardware import ACCELERATORS


@pytest.mark.parametrize("name", ACCELERATORS)
def test_an_engine_sees_less_memory_than_the_driver(name: str) -> None:
    gpu = ACCELERATORS[name]
    if gpu.cuda_visible_memory_gib is not None:
        assert 0.95 < gpu.cuda_visible_memory_gib / (gpu.memory_mib / 1024) < 1


@pytest.mark.parametrize("name", ACCELERATORS)
def test_a_superchip_is_a_quarter_of_an_arm64_tray_and_all_others_sit_in_x86_machines(name: str) -> None:
    host = ACCELERATORS[name].host
    is_superchip = name.startswith("GB")
    assert host.cpu_architecture == ("arm64" if is_superchip else "amd64")
    assert max(host.gpu_counts) == (4 if is_superchip else 16 if name == "A100-40GB" else 8)
    assert host.nvlink_crosses_nodes == is_superchip
    assert host.nvlink_domain_gpus == (72 if is_superchip else max(host.gpu_counts))


def test_no_product_label_is_the_beginning_of_another() -> None:
    # Time slicing and MIG append to the label, so a beginning decides which GPU is meant.
    labels = [gpu.product_label for gpu in ACCELERATORS.values()]
    for label in labels:
        assert [other for other in labels if other == label or other.startswith(f"{label}-")] == [label]
