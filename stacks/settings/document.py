"""docs/settings.md, the page of all settings, written by `python -m stacks.settings.schema`."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from engines.registry import ENGINES
from stacks.settings.model_tables import sections
from stacks.settings.setting_places import blocks_of
from stacks.settings.stack import StackSettings

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "settings.md"

_INTRODUCTION = """\
# Settings

<!-- Written by `python -m stacks.settings.schema`; change stacks/settings/stack.py instead. -->

Everything below `dynamo-stack:settings` in a stack file. Unknown keys are errors. Text that YAML
would take for a number or a date stands in quotes. `dynamo-stack explain <stack>` says what
follows from the settings; an editor with the YAML language server completes them from
`stacks/settings/settings.schema.json`. A setting is optional where neither `required` nor a
default stands behind it. `prefill` and `decode` are the workers of a disaggregated recipe, `worker`
that of an aggregated one. A kind without a list takes no other key.

The one secret is a key of its own: `pulumi config set --secret dynamo-stack:hfToken`."""
_FIXED = "[Fixed](change-what-is-fixed.md)"


def settings_document() -> str:
    """Return the page as Markdown."""
    page = "\n".join([_INTRODUCTION, *sections(_blocks(), "##"), ""])
    return page.replace("Fixed when the stack is created", _FIXED)


def _blocks() -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield each model once, at its first place; engine options behind those of every stack."""
    found: dict[type[BaseModel], str] = {}
    for path, model in blocks_of(StackSettings):
        found.setdefault(model, path or "All of it")
    for framework, engine in ENGINES.items():
        for path, model in blocks_of(engine.settings, "serving.overrides.<role>"):
            found.setdefault(model, f"{path} ({framework})")
    yield from ((path, model) for model, path in found.items())
