"""What EKS keeps of a node: awslabs/amazon-eks-ami nodeadm/internal/kubelet/config.go at 81fec2e."""

# What EKS' image keeps of a node for the system. The kernel and huge pages take memory as well, but no
# formula for them is published.
_MILLICORES = (60.0, 10.0, 5.0, 5.0)
"""Millicores reserved of cores 1 to 4: 6%, 1%, 0.5%, 0.5% (kubeReserved, evictionHard)."""
_MILLICORES_OF_EVERY_OTHER = 2.5
_MIB, _MIB_PER_POD, _EVICTION_MIB = 255, 11, 100


def eks_reserved_cpus(vcpus: int) -> float:
    """CPUs that a kubelet of EKS reserves on a node with that many."""
    others = max(0, vcpus - len(_MILLICORES))
    return int(sum(_MILLICORES[:vcpus]) + _MILLICORES_OF_EVERY_OTHER * others) / 1000


def eks_reserved_gib(most_pods: int) -> float:
    """Memory in GiB that it reserves, or evicts pods to keep, on a node that takes that many pods."""
    return (_MIB + _MIB_PER_POD * most_pods + _EVICTION_MIB) / 1024
