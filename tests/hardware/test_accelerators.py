"""Every number here is typed from the published sources, not read from the registry."""

import pytest

from hardware import ACCELERATORS

# name: product label, MiB, GiB that CUDA sees, compute capability, family
PUBLISHED = {
    "B200": ("NVIDIA-B200", 183359, 178.35, (10, 0), "blackwell"),
    "GB200": ("NVIDIA-GB200", 189471, 184.0, (10, 0), "blackwell"),
    "B300": ("NVIDIA-B300-SXM6-AC", 275040, None, (10, 3), "blackwell"),
    "GB300": ("NVIDIA-GB300", 284208, 276.5, (10, 3), "blackwell"),
    "H200": ("NVIDIA-H200", 144384, None, (9, 0), "hopper"),
    "H100": ("NVIDIA-H100-80GB-HBM3", 81920, 79.11, (9, 0), "hopper"),
    "A100": ("NVIDIA-A100-SXM4-80GB", 81920, None, (8, 0), "ampere"),
    "A100-40GB": ("NVIDIA-A100-SXM4-40GB", 40960, None, (8, 0), "ampere"),
}


def test_the_registry_holds_these_accelerators_and_no_other() -> None:
    assert set(ACCELERATORS) == set(PUBLISHED)


@pytest.mark.parametrize("name", PUBLISHED)
def test_an_accelerator_is_what_its_publisher_says(name: str) -> None:
    gpu = ACCELERATORS[name]
    assert gpu.name == name
    assert (
        gpu.product_label,
        gpu.memory_mib,
        gpu.cuda_visible_memory_gib,
        gpu.compute_capability,
        gpu.architecture_family,
    ) == PUBLISHED[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_an_engine_sees_less_memory_than_the_driver(name: str) -> None:
    gpu = ACCELERATORS[name]
    if gpu.cuda_visible_memory_gib is not None:
        assert 0.95 < gpu.cuda_visible_memory_gib / (gpu.memory_mib / 1024) < 1


@pytest.mark.parametrize("name", PUBLISHED)
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
