"""Refuses to pass over a minor version of Kubernetes, as EKS does, but before anything is changed."""

from collections.abc import Iterator, Mapping

from stacks.errors import Problem
from stacks.plan.infrastructure.eks_plan import EksPlan
from stacks.updates.deployed_nodes import SYSTEM, DeployedNodes


def version_problems(plan: EksPlan | None, before: Mapping[str, DeployedNodes]) -> Iterator[Problem]:
    """Yield that the version is more than one after that of the last run.

    https://docs.aws.amazon.com/eks/latest/userguide/update-cluster.html: one minor version at a time.
    """
    system = before.get(SYSTEM)
    if plan is None or system is None or system.version is None:
        return
    major, _, minor = system.version.partition(".")
    following = f"{major}.{int(minor) + 1}"
    if _number(plan.cluster.version) > _number(following):
        yield Problem(
            "cluster.version",
            plan.cluster.version,
            f"the cluster runs {system.version}, and EKS passes over no minor version",
            suggestion=f'"{following}", and `pulumi up`; then "{plan.cluster.version}"',
        )


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
