"""The state of a stack: what the run before recorded, and what it was doing when it ended."""

from dataclasses import dataclass

from components.dynamo_objects import GRAPH_KIND
from operations.commands import PulumiCommand
from operations.errors import CommandError
from resource_graph.engine_state import Deployment, read_export
from resource_graph.input_text import InputError
from resource_graph.urns import KUBERNETES

CREATE_MANAGER = "pulumi-kubernetes"
"""The field manager that the provider creates objects as."""
# pulumi/pulumi pkg/backend/diy/state.go, getSnapshot.
_NO_STATE = "failed to load checkpoint"


@dataclass(frozen=True)
class ClusterObject:
    """An object of the program that is in the cluster, whether the state knows it or not."""

    urn: str
    api_version: str
    kind: str
    namespace: str | None
    name: str
    managers: tuple[str, ...] = ()
    """Who wrote it, by the names of field managers."""
    create_entry: int | None = None
    """Where among several managed fields those of Pulumi's create stand; None once it owns none any more."""
    is_terminating: bool = False
    """Its deletion has begun."""
    other_owner: str | None = None
    """Whose the one in the cluster is, where that is another stack's or a Helm release's."""

    @property
    def id(self) -> str:
        """Id of the resource at its provider."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def is_graph(self) -> bool:
        """Whether the Dynamo operator looks after it."""
        return self.kind == GRAPH_KIND

    @property
    def resource(self) -> str:
        """The kind with version and group, which kubectl reads without doubt: `Job.v1.batch`."""
        group, _, version = self.api_version.rpartition("/")
        return f"{self.kind}.{version}.{group}"

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"

    @property
    def may_be_ours(self) -> bool:
        """Whether this stack may have made it: Pulumi did, and it bears nobody else's labels.

        Pulumi's provider writes a create as the manager `pulumi-kubernetes`.
        """
        by_pulumi = any(manager.startswith(CREATE_MANAGER) for manager in self.managers)
        return by_pulumi and self.other_owner is None


def read_state(pulumi: PulumiCommand) -> Deployment:
    """The state of what is in the cluster, without decrypting anything.

    Raises:
        CommandError: there is no such stack, the backend has no state of it, or pulumi cannot read it.
    """
    answer = pulumi.capture("stack", "export")
    if answer.returncode != 0 and "no stack named" in answer.stderr:
        raise CommandError(
            f"stack {pulumi.stack} does not exist in the backend that pulumi is logged in to: "
            "nothing of it can have been interrupted\n"
            f"  try: `pulumi whoami --verbose` shows the backend; `pulumi stack init {pulumi.stack}` makes "
            "the stack, and docs/runbook/state-lost.md says where backups of a lost one are"
        )
    if answer.returncode != 0 and _NO_STATE in answer.stderr:
        raise _lost(pulumi, answer.stderr.strip())
    if answer.returncode != 0:
        raise CommandError(f"`{pulumi.line('stack', 'export')}` failed:\n{answer.stderr.strip()}")
    try:
        return in_cluster(read_export(answer.stdout))
    except InputError as error:
        raise _lost(pulumi, str(error)) from error


def in_cluster(deployment: Deployment) -> Deployment:
    """The part of an exported deployment that recovery is about."""
    ours = tuple(each for each in deployment.resources if each.type.startswith(KUBERNETES))
    return deployment.model_copy(update={"resources": ours})


def recorded(state: Deployment) -> frozenset[tuple[str, str]]:
    """URN and id of every resource that is in the cluster as far as the state knows."""
    return frozenset((each.urn, each.id) for each in state.resources if not each.is_going)


def is_empty(state: Deployment) -> bool:
    """Whether the stack holds nothing in the cluster, as far as its state knows."""
    return not recorded(state) and not state.pending_operations


def _lost(pulumi: PulumiCommand, reason: str) -> CommandError:
    return CommandError(
        f"the state of stack {pulumi.stack} cannot be read: {reason}\n"
        "  nothing was changed; what serves does not need it\n"
        "  try: put its backup back, as docs/runbook/state-lost.md shows"
    )
