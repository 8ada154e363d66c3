"""An upgrade of a stack's platform: what is refused, and all that it changes where nothing is."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from operations.project import recorded_stack
from operations.upgrade.by_hand import definition_notes, known_defects, option_notes
from operations.upgrade.changed_objects import ChangedObject, changed_objects
from operations.upgrade.other_stacks import following_stacks
from operations.upgrade.refusals import steps_to
from operations.upgrade.typed_settings import typed_for_release
from stacks.errors import SettingsError
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import StackPlan, waited_for
from stacks.settings.edit import read_text, with_value
from stacks.settings.load import load_stack
from stacks.settings.stack import StackSettings
from stacks.stack_files import stack_directory
from stacks.updates.guards.fixed_at_creation import fixed_values
from stacks.updates.imagined_state import state_of
from stacks.updates.infrastructure_notices import waiting_notice
from stacks.updates.planned_update import planned_update
from stacks.updates.rollout_beside_running import beside_what_runs

VERSION_KEY = "platform.version"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the file of after leads to, beside what that of before does."""

    objects: tuple[ChangedObject, ...] = ()
    effects: tuple[str, ...] = ()
    """In the words of a preview."""
    impossible: str | None = None
    """Why there is nothing to compare with."""


@dataclass(frozen=True, slots=True)
class PlannedUpgrade:
    """One step of an upgrade, one `pulumi up`."""

    stack: str
    file: Path
    present: str
    version: str
    """The release that this step writes."""
    later: tuple[str, ...]
    """Releases of the steps after it."""
    before: str
    after: str
    """The file's text."""
    comparison: Comparison
    fixed: Mapping[str, str]
    """Settings of the platform and the graph that were fixed when the stack was created, and stay."""
    kept: Mapping[str, str]
    """Settings that were typed for a release, and stay as they are."""
    definitions: tuple[str, ...]
    """What becomes of the custom resource definitions."""
    defects: tuple[str, ...]
    """What the release does wrong, with what to do about it."""
    options: tuple[str, ...]
    """Which options are otherwise, where some are typed."""
    owns_platform: bool
    serves: bool
    following: tuple[str, ...]
    """Stacks whose files here join this stack's platform."""
    policy_pack: bool
    """There is one beside the stack files."""

    @property
    def target(self) -> str:
        """The release that was asked for."""
        return self.later[-1] if self.later else self.version

    @property
    def diff(self) -> str:
        """The change of the file, as `diff -u` shows it."""
        lines = difflib.unified_diff(
            self.before.splitlines(),
            self.after.splitlines(),
            self.file.name,
            self.file.name,
            n=2,
            lineterm="",
        )
        return "\n".join(lines)

    @property
    def next_commands(self) -> tuple[str, ...]:
        """What to type once the file is written."""
        pack = " --policy-pack policy" if self.policy_pack else ""
        own = [f"pulumi {verb} --stack {self.stack}{pack}" for verb in ("preview", "up")]
        if self.serves:
            own.append(f"dynamo-stack smoke {self.stack}")
        followed = [
            command
            for name in self.following
            for command in (
                f"dynamo-stack upgrade {name} --to {self.version}",
                f"pulumi up --stack {name}{pack}",
            )
        ]
        again = [f"dynamo-stack upgrade {self.stack} --to {self.target}"] if self.later else []
        return (*own, *followed, *again)

    def as_json(self, *, written: bool) -> dict[str, Any]:
        """The same for a program."""
        return {
            "stack": self.stack,
            "file": self.file.name,
            "from": self.present,
            "to": self.version,
            "later": list(self.later),
            "written": written,
            "diff": self.diff,
            "objects": [each.as_json() for each in self.comparison.objects],
            "effects": list(self.comparison.effects),
            "notCompared": self.comparison.impossible,
            "fixedAtCreation": dict(self.fixed),
            "kept": dict(self.kept),
            "definitions": list(self.definitions),
            "knownDefects": list(self.defects),
            "options": list(self.options),
            "following": list(self.following),
            "next": list(self.next_commands),
        }


def planned_upgrade(name: str, target: str) -> PlannedUpgrade | None:
    """Return the next step towards a release; None where the file has it already.

    Raises:
        SettingsError: the stack's file cannot be used, with this release or at all, or the release cannot be
            reached from the one that the file has.

    """
    directory = stack_directory(Path.cwd())
    settings = load_stack(name, directory)
    steps = steps_to(target, name, settings, directory)
    platform = settings.platform
    if not steps or platform is None:
        return None
    present, (version, *later) = platform.version, steps
    file = directory / f"Pulumi.{name}.yaml"
    text = read_text(file)
    wanted = settings.model_copy(update={"platform": platform.model_copy(update={"version": version})})
    stack = resolve(name, wanted, file.name, directory)
    owns_platform = stack.layers.owns("platform")
    return PlannedUpgrade(
        stack=name,
        file=file,
        present=present,
        version=version,
        later=tuple(later),
        before=text,
        after=with_value(text, VERSION_KEY, version, file.name),
        comparison=_comparison(name, settings, stack, directory),
        fixed=dict(_fixed(stack)),
        kept=typed_for_release(settings.serving),
        definitions=tuple(definition_notes(stack, present, version)),
        defects=tuple(known_defects(stack, version)),
        options=tuple(option_notes(stack, settings.serving, present, version)),
        owns_platform=owns_platform,
        serves=stack.layers.owns("serving"),
        following=following_stacks(name, directory) if owns_platform else (),
        policy_pack=(directory / "policy").is_dir(),
    )


def _comparison(name: str, settings: StackSettings, stack: StackPlan, directory: Path) -> Comparison:
    try:
        before = resolve(name, settings, stack.source, directory)
    except SettingsError as error:
        # What was typed for the new release may be what the old one cannot have.
        return Comparison(impossible=str(error))
    graph = recorded_stack(before)
    state = state_of(graph)
    stack = beside_what_runs(stack, state)
    said = {notice.text for notice in planned_update(before, state).notices}
    effects = [notice.text for notice in planned_update(stack, state).notices if notice.text not in said]
    if waited_for(stack):
        effects.append(waiting_notice(stack, state.graphs).text)
    return Comparison(changed_objects(graph, recorded_stack(stack)), tuple(effects))


def _fixed(stack: StackPlan) -> Iterator[tuple[str, str]]:
    for key, value in fixed_values(stack).items():
        if key.startswith(("platform.", "serving.")):
            yield key, str(value)
    if stack.layers.owns("serving"):
        # Another one is another graph; it is not fixed, but nobody should change it on the way.
        yield "platform.graphApi", stack.graph_api
