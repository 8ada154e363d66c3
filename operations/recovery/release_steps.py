"""The steps for a Helm release that an interrupted run left.

One that is pending-install has no earlier revision to go back to: it is uninstalled and installed again. Helm
would accept a rollback to the pending revision itself, but installs no custom resource definitions then. One
that is pending-upgrade or pending-rollback goes back to the revision that ran before.
"""

import shlex
from collections.abc import Iterator, Sequence

from operations.errors import CommandError
from operations.recovery.found_in_cluster import HelmRelease, Leftovers
from operations.recovery.steps import Step
from resource_graph.urns import RELEASE_TYPE


def bring_operator_back(leftovers: Leftovers) -> Iterator[Step]:
    """Install again what the release of an operator that is away holds: `up` would not see that it is away.

    Raises:
        CommandError: the operator is somebody else's.
    """
    if leftovers.operator_answers:
        return
    release = leftovers.release
    if release is None:
        raise CommandError(
            "the Dynamo operator is away, and no graph can be changed or deleted without it. Nothing was "
            "changed\n"
            "  try: docs/runbook/operator-gone.md with those who run the platform, then run this again"
        )
    if release.status == "deployed" and release.last_deployed is not None:
        says = f"bring the operator back: let Helm write again what release {release.name} holds"
        yield _helm(says, "rollback", release, str(release.last_deployed), wait=True)


def release_steps_before_up(leftovers: Leftovers) -> Iterator[Step]:
    """Make the next `up` able to install or upgrade the release.

    Raises:
        CommandError: an uninstall would delete data, or somebody else has installed the release.
    """
    release = leftovers.release
    if release is None or release.status is None:
        return
    if leftovers.release_is_unrecorded:
        _refuse_foreign(release, leftovers)
    if release.is_stuck:
        if release.status != "uninstalling" and release.last_deployed is not None:
            says = (
                f"put Helm release {release.name}, which is {release.status}, back to revision "
                f"{release.last_deployed}, which ran before"
            )
            yield _helm(says, "rollback", release, str(release.last_deployed))
        else:
            yield _uninstall(release, release.graphs, comes_back=True)
    if leftovers.release_is_unrecorded and (not release.is_stuck or release.last_deployed is not None):
        yield _import(release)


def release_steps_before_destroy(leftovers: Leftovers, deleted_graphs: Sequence[str]) -> Iterator[Step]:
    """Remove a release that `destroy` would leave, since the state does not know it.

    Raises:
        CommandError: an uninstall would delete data, or leave graphs without their operator.
    """
    release = leftovers.release
    if release is None or not leftovers.release_is_unrecorded:
        return
    _refuse_foreign(release, leftovers)
    graphs = [graph for graph in release.graphs if graph not in deleted_graphs]
    if graphs:
        raise CommandError(
            f"graphs would be left without the operator that removes their finalizers: {', '.join(graphs)}\n"
            "  nothing was changed\n"
            "  try: destroy the stacks that they belong to first, then run this again"
        )
    yield _uninstall(release, (), comes_back=False)


def _refuse_foreign(release: HelmRelease, leftovers: Leftovers) -> None:
    """End where nothing says that this stack has installed the release: Helm does not write down who did."""
    spaces = [
        each for each in leftovers.objects if each.kind == "Namespace" and each.name == release.namespace
    ]
    if other := next((each.other_owner for each in spaces if each.other_owner), None):
        raise CommandError(
            f"{release} is in a namespace of {other}, and so that one's. Nothing was changed\n"
            "  try: `platform: {kind: existing}` in this stack's file, which uses it, then `pulumi up`"
        )
    in_our_namespace = any(each.may_be_ours for each in spaces)
    if release.resource.urn in leftovers.was_creating or (in_our_namespace and release.is_of_wanted_chart):
        return
    raise CommandError(
        f"{release} is installed from {release.chart}, the state does "
        "not know it, and nothing says that this stack has installed it. Nothing was changed\n"
        f"  try: if it is this stack's, `pulumi {shlex.join(_import(release).arguments)}`, then run this "
        "again; if it is somebody else's, another platform.namespace"
    )


def _uninstall(release: HelmRelease, graphs: Sequence[str], *, comes_back: bool) -> Step:
    if release.holds:
        raise CommandError(
            f"{release} is {release.status} and can only be "
            f"uninstalled; that would delete {', '.join(release.holds)}. Nothing was changed\n"
            "  try: look at them with kubectl; save what is needed, then "
            f"`helm uninstall {release.name} --namespace {release.namespace}` and run this again"
        )
    says = f"uninstall Helm release {release.name}, which is {release.status}: nothing in it holds data"
    if comes_back:
        says += "; `up` installs it again"
    if graphs:
        says += (
            f". Until then no operator looks after {', '.join(graphs)}: their pods run on, but delete none "
            "of them meanwhile"
        )
    return _helm(says, "uninstall", release, wait=True)


def _helm(says: str, verb: str, release: HelmRelease, *words: str, wait: bool = False) -> Step:
    options = ("--namespace", release.namespace, *(("--wait",) if wait else ()))
    return Step(says, "helm", (verb, release.name, *words, *options))


def _import(release: HelmRelease) -> Step:
    parent, provider = release.resource.parent, release.resource.provider
    placed = [f"--parent=parent={parent}"] if parent else []
    if provider:
        placed.append(f"--provider=provider={provider}")
    return Step(
        f"take Helm release {release.name}, which is installed and not in the state, into the state",
        "pulumi",
        (
            "import",
            RELEASE_TYPE,
            release.resource.name,
            f"{release.namespace}/{release.name}",
            *placed,
            "--protect=false",
            "--generate-code=false",
            "--skip-preview",
            "--yes",
        ),
    )
