"""What EKS keeps of a node, in figures worked out by hand from the image's source."""

import pytest

from tests.node_groups.eks_reservation import eks_reserved_cpus, eks_reserved_gib


@pytest.mark.parametrize(
    ("vcpus", "millicores"),
    # 191450m of 192 were seen on a p5.48xlarge (awslabs/awsome-distributed-ai at 95b939cd).
    [(1, 60), (2, 70), (3, 75), (4, 80), (5, 82), (8, 90), (16, 110), (144, 430), (192, 550)],
)
def test_cpus_are_reserved_by_a_share_that_falls_with_each_core(vcpus: int, millicores: int) -> None:
    assert eks_reserved_cpus(vcpus) == millicores / 1000


def test_memory_is_reserved_for_the_kubelet_for_each_pod_and_before_the_kernel_runs_out() -> None:
    assert eks_reserved_gib(0) * 1024 == 355
    # 11 * 58 + 255, and 100 below which pods are evicted.
    assert eks_reserved_gib(58) * 1024 == 993
