"""Which table judges a resource."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from comparison.changes import FieldChange, Operation
from comparison.engine_verdicts.aws_resources import aws_verdict
from comparison.engine_verdicts.dynamo_graphs import graph_verdict, is_graph
from comparison.engine_verdicts.helm_releases import release_verdict
from comparison.engine_verdicts.kubernetes_objects import kubernetes_verdict
from comparison.engine_verdicts.providers import provider_verdict
from comparison.engine_verdicts.verdict import Outcome, Sides, made_anew
from comparison.pairs import Pair
from resource_graph.urns import KUBERNETES, RELEASE_TYPE

AWS = "aws:"
PROVIDERS = "pulumi:providers:"

_Judge = Callable[[Pair, Sequence[FieldChange]], Outcome]
_BY_PREFIX: Mapping[str, _Judge] = {AWS: aws_verdict, PROVIDERS: provider_verdict}


def verdict_on(pair: Pair, fields: Sequence[FieldChange], sides: Sides) -> Outcome:
    """Return what the engine, the provider and the API server make of the difference.

    Args:
        pair: the resource on both sides.
        fields: every field that differs, but for those that an option of the resource ignores.
        sides: all resources.

    """
    resource_type = pair.after.type
    if pair.is_renamed:
        # The engine makes the new one, then what reads it changes, and the old one goes last.
        return Outcome(fields=tuple(fields))
    if is_graph(pair.after):
        return graph_verdict(pair, fields)
    if resource_type.startswith(KUBERNETES) and resource_type != RELEASE_TYPE:
        return kubernetes_verdict(pair, fields, sides)
    return _judge_of(resource_type)(pair, fields)


def elsewhere(verdict: Outcome) -> Outcome:
    """Return the verdict on a resource whose provider becomes another cluster or region."""
    return replace(
        verdict,
        fields=made_anew(verdict.fields),
        operation=Operation.REPLACE,
        deletes_first=False,
        reasons=(*verdict.reasons, "Its provider is replaced, and with it everything that it made."),
    )


def _judge_of(resource_type: str) -> _Judge:
    if resource_type == RELEASE_TYPE:
        return release_verdict
    found = (judge for prefix, judge in _BY_PREFIX.items() if resource_type.startswith(prefix))
    return next(found, _in_place)


def _in_place(_: Pair, fields: Sequence[FieldChange]) -> Outcome:
    return Outcome(fields=tuple(fields))
