"""What changes for a stack beside its resources: serving, GPUs, dollars, findings, waivers, secrets."""

from collections.abc import Iterator, Mapping, Sequence

from comparison.capacity import Block, Gpus
from comparison.changes import Change, Effect, FieldChange, Operation, ResourceChange
from comparison.field_lines import in_one_line
from comparison.finding_changes import stops
from comparison.recording import RecordedFinding
from comparison.stack_comparison import GRAPH, StackComparison, Standing, UncomparedStack, ending
from comparison.verdict_lines import Quoted, Sentence, listed, quoted
from resource_graph.printable import dotted
from rules.model import Waiver
from stacks.wording import in_words

_RECIPE = ("serving", "recipe")
_MOST_SETTINGS = 12
_MOST = 6
"""Of one kind in a list; the rest is counted."""


def facts_of(stack: StackComparison | UncomparedStack) -> Mapping[str, tuple[Sentence, ...]]:
    """Return what to know of the stack: label -> sentences, the most urgent first.

    Nothing is said of what stays as it is.
    """
    if isinstance(stack, UncomparedStack):
        return {f"{side} side": ((quoted(reason),),) for side, reason in stack.unread.items()}
    named = (
        ("refused", tuple((quoted(each),) for each in stack.update.refused)),
        ("settings", tuple(_settings(stack))),
        ("clients", tuple(_clients(stack))),
        ("without service", tuple(_without_service(stack))),
        ("restarts", tuple(_restarts(stack))),
        ("once open", tuple(_once_open(stack))),
        ("the update", tuple(_update(stack))),
        ("GPUs", tuple(_gpus(stack))),
        ("cost", tuple(_cost(stack))),
        ("idle", tuple(_idle(stack))),
        ("findings", tuple(_findings(stack))),
        ("waivers", tuple(_waivers(stack))),
        ("secrets", tuple(_secrets(stack))),
    )
    return {label: sentences for label, sentences in named if sentences}


def _settings(stack: StackComparison) -> Iterator[Sentence]:
    # Another recipe is the largest change, and never among those that are only counted.
    changes = sorted(stack.settings, key=lambda each: each.path != _RECIPE)
    yield from _some([*map(_setting, changes)], "and ", "other key", most=_MOST_SETTINGS)


def _setting(change: FieldChange) -> Sentence:
    before = "not set" if change.change is Change.ADDED else in_one_line(change.before)
    after = "not set" if change.change is Change.REMOVED else in_one_line(change.after)
    return (quoted(dotted(change.path)), ": ", quoted(before), " -> ", quoted(after))


def _clients(stack: StackComparison) -> Iterator[Sentence]:
    before, after = stack.addresses
    if before is not None and after is not None and before != after:
        yield ("have to change their address: ", quoted(before), " -> ", quoted(after))


def _without_service(stack: StackComparison) -> Iterator[Sentence]:
    if stack.update.interruption is not None:
        yield (quoted(stack.update.interruption),)
    elif stack.ends_serving:
        titles = [each.goes or each.title for each in stack.ends_serving]
        yield ("from the moment that this is deleted or replaced: ", *listed(titles, _MOST))
    elif _is_update(stack) and not stack.serves:
        yield ("nothing serves yet, so nothing is interrupted",)
    elif _is_update(stack):
        yield ("no interruption: requests are answered all the time",)


def _is_update(stack: StackComparison) -> bool:
    """Whether something serves that the update could interrupt, and the update takes place."""
    begins = any(each.operation is Operation.CREATE and each.type.endswith(GRAPH) for each in stack.resources)
    is_made = bool(stack.resources or stack.opened) and not stack.update.refused
    return stack.standing is Standing.ON_BOTH and is_made and not begins


def _update(stack: StackComparison) -> Iterator[Sentence]:
    texts = [each.text for each in stack.update.notices if stack.resources and each.text.strip()]
    yield from _some([(quoted(text.splitlines()[0]),) for text in texts], "and ", "more effect", " below")


def _restarts(stack: StackComparison) -> Iterator[Sentence]:
    if _is_update(stack) and stack.serves and (stack.update.restarts_workers or not stack.ends_serving):
        yield ("every worker" if stack.update.restarts_workers else "no worker",)
    yield from _with_effect(_with_pods(stack.resources), Effect.ROLLS_PODS, "pods of ")
    yield from _with_effect(stack.resources, Effect.ROLLS_NODES, "nodes of ")


def _once_open(stack: StackComparison) -> Iterator[Sentence]:
    """Yield what is interrupted where this is applied after the Capacity Block that a graph waits for opened.

    What changes then stands with the other resources.
    """
    if stack.update.refused:
        return
    if ends := [each.goes or each.title for each in ending(stack.opened)]:
        yield ("applied after its Capacity Block has opened, it ends serving with: ", *listed(ends, _MOST))
    rolled = _with_pods(stack.opened)
    yield from _with_effect(rolled, Effect.ROLLS_PODS, "applied after it has opened, it restarts pods of ")


def _with_pods(changes: Sequence[ResourceChange]) -> Sequence[ResourceChange]:
    # What pods read has none of its own; those that read it are listed beside it.
    return [each for each in changes if not each.type.endswith((":ConfigMap", ":Secret"))]


def _with_effect(changes: Sequence[ResourceChange], effect: Effect, words: str) -> Iterator[Sentence]:
    titles = [each.title for each in changes if any(field.effect is effect for field in each.fields)]
    if titles:
        yield (words, *listed(titles, _MOST))


def _gpus(stack: StackComparison) -> Iterator[Sentence]:
    before = {each.accelerator: each for each in stack.before.gpus}
    after = {each.accelerator: each for each in stack.after.gpus}
    for accelerator in sorted({*before, *after}):
        none = Gpus(accelerator=accelerator, total=0, used=0)
        old, new = (side.get(accelerator, none) for side in (before, after))
        yield (Quoted(accelerator), f": {_arrow(old.total, new.total)}, in use {_arrow(old.used, new.used)}")


def _cost(stack: StackComparison) -> Iterator[Sentence]:
    before, after = stack.before, stack.after
    if before.usd_per_hour or after.usd_per_hour:
        yield (*_dollars(before.usd_per_hour, after.usd_per_hour), " an hour for GPU nodes")
    old, new = ({each.id: each for each in side.blocks} for side in (before, after))
    for name in sorted({*old, *new}):
        yield _block(name, old.get(name), new.get(name))
    unpriced = after.unpriced_gpus
    if unpriced:
        yield (f"{in_words(unpriced, 'GPU')} without a known price: in none of these sums",)
    for price in dict.fromkeys((*before.prices, *after.prices)):
        rate = Quoted(f"${price.usd_per_gpu_hour:,.2f}")
        where = (quoted(price.source), ", read on ", quoted(price.date))
        yield (quoted(price.machine), ": ", rate, " a GPU-hour (", *where, ")")


def _block(name: str, before: Block | None, after: Block | None) -> Sentence:
    block = (quoted(name), ", ")
    if before is not None and after is not None:
        gpus = f"{_arrow(before.gpus, after.gpus)} GPUs: "
        more = f"; the block has to hold {after.gpus} GPUs" if after.gpus > before.gpus else ""
        return ("Capacity Block ", *block, gpus, *_fee(before.usd_per_hour, after.usd_per_hour), more)
    one = after or before
    assert one is not None
    standing = "new Capacity Block " if after else "no more: Capacity Block "
    return (standing, *block, f"{one.gpus} GPUs: ", *_fee(one.usd_per_hour, one.usd_per_hour))


def _fee(before: float | None, after: float | None) -> Sentence:
    if before is None or after is None:
        return ("no price is known",)
    words = " for each hour of the block, used or not: a fee paid once, in advance, in no other sum here"
    return (*_dollars(before, after), words)


def _idle(stack: StackComparison) -> Iterator[Sentence]:
    old, new = (sum(each.idle for each in side.gpus) for side in (stack.before, stack.after))
    if not old and not new:
        return
    dollars = _dollars(stack.before.idle_usd_per_hour, stack.after.idle_usd_per_hour)
    yield (f"{_arrow(old, new)} GPUs that no worker asks for: ", *dollars, " an hour, blocks included")


def _findings(stack: StackComparison) -> Iterator[Sentence]:
    findings = stack.findings
    old = [each for each in findings.still_there if stops(each)]
    for word, found in (("new", findings.new), ("still there", old)):
        mandatory = f", {sum(map(stops, found[_MOST:]))} of them mandatory"
        yield from _some([_finding(word, each) for each in found], f"{word}: ", "other", mandatory)
    counted = (
        ("still there, not mandatory", [each for each in findings.still_there if not stops(each)]),
        ("fixed", findings.fixed),
        ("now waived", findings.waived),
    )
    for word, found in counted:
        if found:
            rules = list(dict.fromkeys(each.rule for each in found))
            yield (f"{word}: {len(found)} of ", *listed(rules, _MOST))


def _finding(word: str, finding: RecordedFinding) -> Sentence:
    kind = finding.severity if finding.status == "failed" else f"{finding.severity}, {finding.status}"
    what = (quoted(finding.subject), " ", quoted(finding.message))
    return (f"{word}, {kind}: ", quoted(finding.rule), ": ", *what)


def _waivers(stack: StackComparison) -> Iterator[Sentence]:
    for word, found in (("new", stack.waivers.new), ("no more", stack.waivers.removed)):
        yield from _some([_waiver(word, each) for each in found], f"{word}: ", "other")


def _waiver(word: str, waiver: Waiver) -> Sentence:
    expires = Quoted(waiver.expires.isoformat())
    return (f"{word}: ", quoted(waiver.rule), " until ", expires, ": ", quoted(waiver.reason))


def _secrets(stack: StackComparison) -> Iterator[Sentence]:
    if stack.secrets:
        names = listed(stack.secrets, _MOST)
        yield ("changed: ", *names, "; where only the encryption is new, what holds the value stays as it is")


def _some(
    sentences: Sequence[Sentence], begin: str, noun: str, end: str = "", *, most: int = _MOST
) -> Iterator[Sentence]:
    """Yield at most so many sentences, and how many more there are."""
    yield from sentences[:most]
    if len(sentences) > most:
        yield (f"{begin}{in_words(len(sentences) - most, noun)}{end}",)


def _arrow(before: int, after: int) -> str:
    return f"{after}" if before == after else f"{before} -> {after}"


def _dollars(before: float, after: float) -> Sentence:
    old, new = f"${before:,.2f}", f"${after:,.2f}"
    return (Quoted(new),) if old == new else (Quoted(old), " -> ", Quoted(new))
