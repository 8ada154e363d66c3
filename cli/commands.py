"""The commands of `dynamo-stack`: what each is for, and where it is.

A command's module is loaded when the command runs: Pulumi's SDK alone takes longer to load than `list` runs.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import cast

import typer
from typer.core import TyperCommand, TyperGroup

from cli.exit_codes import NOT_COMPARED, UNREADABLE

# Groups of the help, in the order in which a stack lives.
_CHOOSE, _BEFORE, _RUNS = "Choose and describe a stack", "Before `pulumi up`", "While it runs"


@dataclass(frozen=True, slots=True)
class Listed:
    """One command."""

    panel: str
    """Its group in the help."""
    place: str
    """`module:function` below cli."""
    help: str
    examples: tuple[str, ...] = ()
    is_hidden: bool = False
    failure: int = UNREADABLE
    """Exit code where it cannot do what it was asked for."""

    def load(self, name: str) -> TyperCommand | TyperGroup:
        """Return the command itself."""
        module, _, function = self.place.partition(":")
        found = getattr(import_module(f"cli.{module}"), function)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            alone.command(name, epilog="\n\n".join(f"Example: {each}" for each in self.examples))(found)
            found = alone
        command = cast("TyperCommand | TyperGroup", typer.main.get_command(found))
        # A terminal of any width wraps what is one line here.
        command.help = "\n\n".join(" ".join(part.split()) for part in self.help.split("\n\n"))
        return command


COMMANDS = {
    "list": Listed(
        _CHOOSE,
        "list_stacks:list_stacks_and_recipes",
        "Show the stacks here and the recipes that a stack can name.",
        ("dynamo-stack list",),
    ),
    "explain": Listed(
        _CHOOSE,
        "explain:explain",
        "Show on one screen what a stack becomes: what runs where, its cost, its KV path, its updates.",
        ("dynamo-stack explain disagg-b200",),
    ),
    "size": Listed(
        _CHOOSE,
        "size:size",
        "Choose a layout for a workload among measured points: exit 1 if none keeps the limits.",
        ("dynamo-stack size --input 8192 --output 1024 --tpot 15ms --gpu B200 --to Pulumi.mine.yaml",),
    ),
    "render": Listed(
        _BEFORE,
        "render:render",
        "Write the Kubernetes objects of a stack as YAML, in the order in which they are applied.",
        ("dynamo-stack render disagg-b200 --to manifests --helm argocd",),
    ),
    "compose": Listed(
        _CHOOSE,
        "compose:compose",
        "Write a stack whose workers fit one host as a Docker Compose project, without Kubernetes.",
        ("dynamo-stack compose dev --to compose-dev",),
    ),
    "check": Listed(
        _BEFORE,
        "check:check",
        "Judge a stack, or anybody's YAML: exit 1 on a mandatory finding, 2 on what cannot be understood.",
        (
            "dynamo-stack check disagg-b200",
            "dynamo-stack check --file deploy.yaml --pool p6-b200.48xlarge=1",
        ),
    ),
    "preflight": Listed(
        _BEFORE,
        "preflight:preflight",
        "Ask the account, or the cluster that exists, for what a stack needs: exit 1 if `up` would fail.",
        (
            "dynamo-stack preflight disagg-b200",
            "dynamo-stack preflight disagg-b200 --policy deployer",
        ),
    ),
    "drift": Listed(
        _RUNS,
        "drift:drift",
        "Show what somebody changed in the cluster: exit 1 if anything differs, 2 if it cannot be told.",
        ("dynamo-stack drift disagg-b200",),
    ),
    # `diff` runs it in the code of either side; a person reads `explain`.
    "record": Listed(
        _RUNS,
        "record:record",
        """Print stacks as JSON, for `dynamo-stack diff`.

        Each stack of the folder is recorded as the code beside it makes it: every resource, pool, price and
        finding, what is fixed when it is created, and with --over what the update does to the stack that
        the file describes. No secret is in the answer: a mark with a fingerprint stands for each, so that a
        change shows. A stack that cannot be used is listed with the reason, and the command goes on. `diff`
        runs this for either side in that side's own environment, without credentials; nobody else needs it.
        """,
        is_hidden=True,
    ),
    "preview": Listed(
        _BEFORE,
        "preview:preview",
        """Show what `pulumi up` would do, in the words of `diff`: asks account and cluster, changes nothing.

        Exit 0 for nothing, 1 for changes, 2 for what would be refused, 3 where the engine could not look.
        """,
        ("dynamo-stack preview disagg-b200",),
        # A pipeline tells a refusal from a preview that never ran.
        failure=NOT_COMPARED,
    ),
    "recover": Listed(
        _RUNS,
        "recover:recover",
        "Clear what an interrupted run left, and finish it.",
        ("dynamo-stack recover disagg-b200",),
    ),
    "doctor": Listed(
        _RUNS,
        "doctor:doctor",
        "Say why a deployment does not serve, and what to type: exit 0 healthy, 1 sick, 2 if it cannot look.",
        (
            "dynamo-stack doctor disagg-b200",
            "dynamo-stack doctor --context gpu-cluster --namespace gpt-oss",
        ),
    ),
    "smoke": Listed(
        _RUNS,
        "smoke:smoke",
        "Ask a running model what its clients will ask, once workers have registered: exit 1 if wrong.",
        ("dynamo-stack smoke disagg-b200",),
    ),
    "bench": Listed(
        _RUNS,
        "bench:bench",
        "Measure what is served, with AIPerf: throughput, time to the first token and between tokens.",
        ("dynamo-stack bench disagg-b200",),
    ),
    "diff": Listed(
        _BEFORE,
        "diff:diff",
        """Say what a change does to the stacks, without asking a cluster or an account.

        Exit 0 for no changes, 1 for changes, 2 for a mandatory finding or what would be refused, 3 where a
        side or a stack could not be compared.
        """,
        ("dynamo-stack diff main --stack disagg-b200",),
        # Not 2, by which a comparison says that the change must not be deployed.
        failure=NOT_COMPARED,
    ),
    "pools": Listed(
        _CHOOSE,
        "pools:pools",
        "Print the GPU nodes of an existing cluster as nodePools to paste into a stack file.",
        ("dynamo-stack pools --context gpu-cluster",),
    ),
    "report": Listed(
        _CHOOSE,
        "report:report",
        "Write a stack as one page: who sits where, memory, cost, order, findings and the reasons.",
        ("dynamo-stack report disagg-b200 --to report.html",),
    ),
    "recipes": Listed(_CHOOSE, "recipes:recipes", "Show a recipe, or copy one to change it."),
}
