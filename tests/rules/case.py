"""What a case of a rule is, and how it is judged.

A case changes settings or YAML, never a resource graph: it shows what a person is told who wrote the same
line. It runs the rule that it is about and lists what that rule finds; what all rules find is listed once for
each base, in `BASES`.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from cli.render import render_graph
from cli.yaml_text import to_yaml
from recipes.benchmark_job import benchmark_job
from resource_graph import ResourceGraph
from resource_graph.input_text import read_inputs
from resource_graph.manifests import manifest_graph
from rules.catalogue import rules_on, run_rules
from rules.model import Report, Rule
from rules.reading.pools import pool_resource
from rules.rule import Severity
from stacks.plan.resolve import resolve
from stacks.settings.load import parse_settings
from tests.rules.edits import Edit, edited
from tests.rules.exports import read_state_text, state_text
from tests.rules.judging import TODAY, Found, in_program
from tests.support.alpha_graphs import with_alpha_graphs
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import served_stack, shipped_stack

FOLDER = Path(__file__).parent / "bases"

Rules = tuple[Rule, ...]
ALL_RULES: Rules = rules_on(TODAY)
RULE: Mapping[str, Rules] = {rule.id: (rule,) for rule in ALL_RULES}
"""Each rule alone, by its id."""

Pools = tuple[tuple[str, int], ...]
"""Instance type and number of nodes, as `--pool TYPE=NODES` names them."""

Edits = Edit | tuple[Edit, ...]
Parts = str | Edits | tuple[str, ...]
"""Of a case that finds something: texts that its messages must contain, and edits."""

B200: Pools = (("p6-b200.48xlarge", 1),)
TWO_B200: Pools = (("p6-b200.48xlarge", 2),)
GB200: Pools = (("p6e-gb200.36xlarge", 1),)
TWO_GB200: Pools = (("p6e-gb200.36xlarge", 2),)
H100: Pools = (("p5.48xlarge", 1),)
H200: Pools = (("p5en.48xlarge", 1),)


@dataclass(frozen=True)
class Base:
    """A clean manifest, and what is found in it all the same."""

    pools: Pools
    found: frozenset[Found] = frozenset()
    stack: str | None = None
    """The shipped stack whose serving it is; None: the file of its name beside this one."""
    cluster: bool = False
    """With the cluster that the shipped stack makes; else on one that exists."""
    state: bool = False
    """It is the state of a stack, whose documents `exports` describes, and not a manifest."""
    program: bool = False
    """A program registers it, which installs the operator and names the pools of prefill and decode."""


@dataclass(frozen=True)
class Case:
    """One change, and every finding of one rule that it must produce."""

    rule: str
    """Id of the rule that judges."""
    name: str
    base: str
    """A key of `BASES`, or the files of `published/` that are judged together."""
    edits: tuple[Edit, ...]
    found: frozenset[Found] = frozenset()
    """Nothing, where the rule passes."""
    says: tuple[str, ...] = ()
    """Texts that the messages must contain, with their numbers."""
    stops: frozenset[str] = frozenset()
    """Subjects of the findings that stop a deployment; the others are advice."""
    pools: Pools | None = None
    """Instead of the base's."""


class On:
    """A rule before a base, and whom the rule is to speak of."""

    def __init__(self, rule: str, base: str, *subjects: str) -> None:
        self._rule, self._base, self._subjects = rule, base, subjects

    def fails(
        self,
        name: str,
        *parts: Parts,
        pools: Pools | None = None,
        undecided_for: tuple[str, ...] = (),
        advises: tuple[str, ...] = (),
    ) -> Case:
        """The rule fails for each subject, once the base is edited so; it may be undecided for others.

        Where the rule is mandatory, the finding stops a deployment but for the subjects that it advises.
        """
        findings = failed(self._rule, *self._subjects) | undecided(self._rule, *undecided_for)
        case = self._case(name, parts, findings, pools)
        is_mandatory = RULE[self._rule][0].severity is Severity.MANDATORY
        return replace(case, stops=frozenset(self._subjects if is_mandatory else ()) - set(advises))

    def advises(
        self,
        name: str,
        *parts: Parts,
        pools: Pools | None = None,
        undecided_for: tuple[str, ...] = (),
    ) -> Case:
        """The mandatory rule fails for each subject, and no finding of it stops a deployment."""
        return replace(self.fails(name, *parts, pools=pools, undecided_for=undecided_for), stops=frozenset())

    def is_undecided(self, name: str, *parts: Parts, pools: Pools | None = None) -> Case:
        """The rule is undecided for each subject."""
        return self._case(name, parts, undecided(self._rule, *self._subjects), pools)

    def passes(self, name: str, *edits: Edits, pools: Pools | None = None) -> Case:
        """The rule finds nothing."""
        return self._case(name, edits, frozenset(), pools)

    def _case(
        self, name: str, parts: tuple[Parts, ...], found: frozenset[Found], pools: Pools | None
    ) -> Case:
        each = [*chain(*(part if isinstance(part, tuple) else (part,) for part in parts))]
        says = tuple(part for part in each if isinstance(part, str))
        edits = tuple(part for part in each if not isinstance(part, str))
        assert bool(says) == bool(found), f"{name}: a finding has words, and nothing else has"
        return Case(self._rule, name, self._base, edits, found, says, pools=pools)


@dataclass(frozen=True)
class SettingsCase:
    """A change of a stack's settings, and every finding of one rule that it must produce, all advice."""

    rule: str
    name: str
    settings: Mapping[str, Any]
    found: frozenset[Found] = frozenset()
    says: tuple[str, ...] = ()
    stops: frozenset[str] = frozenset()


def failed(rule: str, *subjects: str) -> frozenset[Found]:
    """The rule fails for each subject."""
    return frozenset((rule, "failed", subject) for subject in subjects)


def undecided(rule: str, *subjects: str) -> frozenset[Found]:
    """The rule is undecided for each subject."""
    return frozenset((rule, "undecided", subject) for subject in subjects)


def judge_case(case: Case, folder: Path, base: Base, rules: Rules = ()) -> Report:
    """What the case's rule, or others, say of the changed base beside its pools."""
    pools = base.pools if case.pools is None else case.pools
    return judge_base(case.base, base, folder, case.edits, pools, rules or RULE[case.rule])


def judge_base(
    name: str, base: Base, folder: Path, edits: Sequence[Edit], pools: Pools, rules: Rules = ALL_RULES
) -> Report:
    """What rules say of a base with those edits, beside pools."""
    text = edited(base_text(name, base), edits)
    if base.program:
        (prefill, _), (decode, _) = pools
        return judge_graph(in_program(text, instance_types=(prefill, decode)), rules)
    if base.state:
        return judge_beside(read_state_text(text, folder), pools, rules)
    file = folder / "deploy.yaml"
    file.write_text(text, encoding="utf-8")
    return judge_beside(manifest_graph(read_inputs([file])), pools, rules)


def judge_beside(documents: ResourceGraph, pools: Pools, rules: Rules = ALL_RULES) -> Report:
    """What rules say of a graph beside pools."""
    named = [pool_resource(instance_type, instance_type, nodes) for instance_type, nodes in pools]
    return judge_graph(ResourceGraph([*named, *documents], documents.lacks), rules)


def judge_settings(settings: Mapping[str, Any], rules: Rules = ALL_RULES) -> Report:
    """What rules say of the stack that the settings describe."""
    parsed = parse_settings(settings, "Pulumi.case.yaml")
    return judge_graph(recorded_stack(resolve("case", parsed, "Pulumi.case.yaml")), rules)


def judge_graph(graph: ResourceGraph, rules: Rules = ALL_RULES) -> Report:
    """What rules say of a graph."""
    return run_rules(graph, rules, today=TODAY)


@functools.cache
def base_text(name: str, base: Base) -> str:
    """The base as it is committed, or as a shipped stack and its benchmark are rendered today."""
    if base.stack is None:
        return (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")
    resolved = shipped_stack(base.stack) if base.cluster else served_stack(base.stack)
    # Cases are written in the words of most published graphs; the files beside this one are v1beta1.
    resources = with_alpha_graphs(recorded_stack(resolved))
    if base.state:
        return state_text(resources)
    documents = [text for _, text in render_graph(resources)]
    placed = resolved.serving.placed
    benchmark = benchmark_job(placed)
    return "---\n".join((*documents, to_yaml(benchmark)))
