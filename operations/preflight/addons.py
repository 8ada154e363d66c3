"""Does EKS have the pinned builds of the add-ons for the cluster's Kubernetes?"""

from collections.abc import Iterator

from operations.preflight.account import Account
from operations.preflight.answers import Answer, good, wrong
from stacks.plan.infrastructure.eks_plan import EksPlan


def addon_question(plan: EksPlan) -> str:
    """Return what is asked of all add-ons together."""
    return f"add-ons for Kubernetes {plan.version}"


def addon_answers(plan: EksPlan, account: Account) -> Iterator[Answer]:
    """Answer for each build that EKS does not have; one answer where it has all.

    Raises what `Asker.ask` raises.
    """
    wanted = plan.addon_builds
    offered = {name: account.addon_builds(name, plan.version) for name in wanted}
    missing = [name for name, build in wanted.items() if build not in offered[name]]
    if not missing:
        yield good(addon_question(plan), f"EKS has the pinned builds of all {len(wanted)}")
    for name in missing:
        newest = offered[name][0] if offered[name] else "another cluster.version, for which EKS has it"
        found = f"EKS has no build {wanted[name]} for Kubernetes {plan.version}"
        yield wrong(f"add-on {name}", found, f"EKS_ADDONS in stacks/plan/versions.py: {newest}")
