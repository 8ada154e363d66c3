"""What a person does or looks at around an upgrade, because no `up` does it."""

from collections.abc import Iterator

from engines.registry import ENGINES, Framework
from operations.upgrade.typed_settings import has_typed_options
from stacks.plan.stack_plan import StackPlan
from stacks.plan.versions import PLATFORM_LINES, PLATFORM_RELEASES, PlatformLine
from stacks.settings.stack import ServingSettings
from stacks.updates.platform_steps import is_older, ordered

_GRAPH_DEFINITION = "dynamographdeployments.nvidia.com"
_STORED = f"kubectl get crd {_GRAPH_DEFINITION} -o jsonpath='{{.status.storedVersions}}'"


def definition_notes(stack: StackPlan, present: str, version: str) -> Iterator[str]:
    """Say what becomes of the platform's custom resource definitions."""
    old, new = line_of(present), line_of(version)
    if not stack.layers.owns("platform"):
        return
    yield (
        f"come from {new.definitions_come_from.value}: nothing to do by hand, unless somebody applies them "
        "from a repository of manifests"
    )
    before, after = old.stored_graph_api.value, new.stored_graph_api.value
    if before != after:
        yield (
            f"graphs are stored as {after} instead of {before} from then on, and the operator rewrites those "
            f"that there are (read); before the next upgrade look: {_STORED}"
        )
    kept = new.custom_resource_definitions.value
    left = [name for name in old.custom_resource_definitions.value if name not in kept]
    if left:
        yield f"stay in the cluster and are no part of this release: {', '.join(left)}"


def known_defects(stack: StackPlan, version: str) -> Iterator[str]:
    """Say what the new release does wrong, and what to do about each."""
    line = line_of(version)
    for defect in line.all_defects(_engines(stack)):
        yield f"{defect.what}; {defect.action} ({defect.evidence})"
    if line.stored_graph_api.evidence != "measured":
        yield (
            f"nothing of {version} was run by this project: what is known of it was read, and what it does "
            "wrong is not known here; try it on a stack that nobody needs"
        )


def option_notes(stack: StackPlan, serving: ServingSettings, present: str, version: str) -> Iterator[str]:
    """Say which options have become others on the way, to somebody who types options."""
    if not has_typed_options(serving):
        return
    for release in ordered(tuple(PLATFORM_RELEASES)):
        if is_older(present, release) and not is_older(version, release):
            yield from (change.value for change in line_of(release).runtime.option_changes(_engines(stack)))


def line_of(version: str) -> PlatformLine:
    """Return what is known of a release's line."""
    return PLATFORM_LINES[PLATFORM_RELEASES[version].line]


def _engines(stack: StackPlan) -> tuple[Framework, ...]:
    """Return the engine of the stack's recipe; every one where other stacks serve on its platform."""
    return (stack.serving.placed.recipe.framework,) if stack.layers.owns("serving") else tuple(ENGINES)
