"""docs/rules.md, the page of all rules.

To bring it up to date: `python -m rules.document`.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from pathlib import Path

from resource_graph.graph import DOCUMENTS_LACK, POLICY_HOST_LACKS
from rules.catalogue import RULES, TOPICS
from rules.model import Rule, Severity
from rules.waivers import waiver_rules

DOCUMENT = Path(__file__).parent.parent / "docs" / "rules.md"

_INTRODUCTION = """\
# Rules

<!-- Written by `python -m rules.document`; change the rules instead. -->

{count} rules say what must hold for a deployment to start, fit its GPUs, answer, and go away again. They
look at resources and know nothing of how this project makes them, so they judge other people's programs
and YAML alike.

| what you have | what to type | what is not evaluated there |
|---|---|---|
| a stack of this project | `dynamo-stack check disagg-b200` | nothing |
| anybody's Kubernetes YAML | `dynamo-stack check --file graph.yaml --pool p6e-gb200.36xlarge=2` | {files} |
| what is deployed, from `pulumi stack export --file s.json` | `dynamo-stack check --file s.json` | nothing |
| a Pulumi program, in its preview | `pulumi preview --policy-pack policy` | {pack} |

## What a finding means

- **failed, mandatory**: the reason was read in the engine's or operator's own code, or seen in a run, and
  the deployment then does not start, fit, answer or go away as it must. `check` exits with 1, the pack
  stops the preview.
- **failed, advisory**: an inference, an estimate, or a loss of speed alone. Nothing is stopped. Mandatory
  rules give advice too: their severity is that of their gravest finding.
- **undecided**: the rule lacks a value: only the update will know it, its file or pool was not read, its
  shape cannot be read, or releases differ and the image names none of those that the rule was read from.
  It neither passes nor stops. In YAML `--pool TYPE=NODES`, which can be repeated, decides most of them.
- **waived**: somebody accepted it for a time, see below.
- **not evaluated**: such a source does not tell what the rule reads, as a YAML file does not tell the
  order of resources. The rule has neither passed nor failed.
- **broken**: the rule itself raised an error. The run fails, and no waiver helps.

`check` exits with 1 on a mandatory finding or a broken rule; with 2 on input that cannot be read, or where
no rule asked for the kinds that run and no schema knows them: its first line says `NOT JUDGED`; with 0
otherwise. Its verdict names unknown kinds; `--json` has every finding by itself.

## For which release

A graph is judged by the fields of one release of Dynamo: of the platform in the same program, of
`--platform VERSION` beside a file, else of the graph's images. Where nothing names the release, a field
that some release has is undecided, and only what every release refuses is failed.

A rule that names no releases at "Read from" depends on none.

## Breaking a rule on purpose

In the settings of a stack, for a time and with a reason:

```yaml
    waivers:
      - rule: cache-holds-two-revisions
        reason: the model is never updated in place here
        expires: "2026-12-31"
```

`check` and the preview go on showing the finding, with the reason and the date. It stops again on the day
after, and so does a waiver that names no rule (`waiver-is-valid`, which cannot be waived).

## The policy pack

`pulumi preview --policy-pack policy` and `pulumi up --policy-pack policy` judge any Pulumi program before
anything changes, in another folder and environment too: name the pack's path, and run `make environment`
here once, because the pack brings its own packages.

Each rule is a policy, and `--policy-pack-config FILE.json` sets how each is enforced:

```json
{{
  "all": "advisory",
  "gpus-match-parallelism": "mandatory",
  "kv-transport-proven": "disabled"
}}
```

Five more policies belong to the pack. Four are advisory, unless "all" says otherwise: `advice` says what
costs speed or money alone, where its rule can also stop a deployment; `undecided` says once a resource and
reason which rules wait for it; `waived` shows waived findings; `not-evaluated` names the rules that only
`dynamo-stack check` judges. `resource-inputs` collects the inputs of the rules: without it nothing would be
judged, so a configuration that disables it ends the preview with an error. Where "all" is "disabled", add
`"resource-inputs": "advisory"`. Pulumi ignores a name that is no policy, so copy names from here."""


def rules_document() -> str:
    """The page as Markdown."""
    lines = [
        _INTRODUCTION.format(
            count=len(RULES),
            files=_not_evaluated([rule for rule in RULES if rule.reads & DOCUMENTS_LACK]),
            pack=_not_evaluated([rule for rule in RULES if rule.reads & POLICY_HOST_LACKS]),
        )
    ]
    for topic in TOPICS:
        lines += _section(topic.name.capitalize(), topic.question, topic.rules)
    own = waiver_rules([], dt.date.min)
    lines += _section("Waivers", "Do the waivers of the settings still hold?", own)
    return "\n".join([*lines, ""])


def _not_evaluated(rules: Sequence[Rule]) -> str:
    missing = sorted({aspect.value for rule in rules for aspect in rule.reads})
    return f"{len(rules)} rules about {', '.join(missing)}" if rules else "nothing"


def _section(name: str, question: str, rules: Sequence[Rule]) -> Iterator[str]:
    yield from ("", f"## {name}", "", question)
    for rule in rules:
        yield from _details(rule)


def _details(rule: Rule) -> Iterator[str]:
    yield from ("", f"### {rule.id}", "", f"{rule.title}. {_weight(rule)} {rule.reason}", "")
    yield f"- Fix: {rule.fix}"
    yield f"- Source: {rule.source}"
    if rule.lines:
        yield f"- Read from: {', '.join(rule.lines)}."
    if rule.reads:
        missing = ", ".join(sorted(aspect.value for aspect in rule.reads))
        yield f"- Not evaluated without {missing}."


def _weight(rule: Rule) -> str:
    return "**Mandatory.**" if rule.severity is Severity.MANDATORY else "Advisory."


if __name__ == "__main__":
    DOCUMENT.write_text(rules_document(), encoding="utf-8")
