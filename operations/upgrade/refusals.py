"""Why a stack cannot have a release of the platform, and the releases on the way to one that it can have."""

from collections.abc import Iterator
from pathlib import Path

from engines.release import known_line_name
from operations.upgrade.other_stacks import owners_version, platform_owner
from operations.upgrade.typed_settings import typed_images
from recipes.model import Recipe
from stacks.errors import Problem, SettingsError
from stacks.nearest import nearest
from stacks.plan.layers.owned import owned_layers
from stacks.plan.recipe_files import known_recipes, read_recipe, sound_recipes, unknown_recipe
from stacks.plan.versions import PLATFORM_RELEASES
from stacks.settings.platform import PlatformSettings
from stacks.settings.stack import StackSettings
from stacks.updates.platform_steps import is_older, ordered, stored_versions, upgrade_steps
from stacks.wording import alternatives

_COMMAND = "dynamo-stack upgrade"
_KEY = "platform.version"
_NOTHING = "nothing was written"


def steps_to(target: str, name: str, settings: StackSettings, directory: Path) -> tuple[str, ...]:
    """Return the releases to go through, none where the file has the wanted one already.

    Raises:
        SettingsError: there is no such release, or no way to it from the one that the file has.

    """
    releases = ordered(tuple(PLATFORM_RELEASES))
    if target not in releases:
        message = "not a platform release that this project was written for"
        meant = nearest(target, releases)
        problem = Problem("--to", target, message, allowed=", ".join(releases), suggestion=meant)
        raise SettingsError({_COMMAND: [problem]})
    source = f"Pulumi.{name}.yaml"
    platform = settings.platform
    if platform is None:
        raise SettingsError({source: [_without_platform(settings)]})
    if platform.version == target:
        return ()
    if platform.version not in releases:
        raise SettingsError({source: [_unknown_present(platform.version, releases)]})
    if is_older(target, platform.version):
        raise SettingsError({source: [_going_back(target, platform.version)]})
    steps = _steps(platform, target, settings)
    problems = (
        *_behind_owner(target, name, settings, directory),
        *_recipe_problems(steps, name, settings, directory),
        *_image_problems(steps[0], settings),
    )
    if problems:
        raise SettingsError({source: problems})
    return steps


def _steps(platform: PlatformSettings, target: str, settings: StackSettings) -> tuple[str, ...]:
    if "platform" in owned_layers(settings):
        return upgrade_steps(platform.version, target, stored_versions())
    # What the API server has stored is moved by whoever owns the platform.
    return (target,)


def _without_platform(settings: StackSettings) -> Problem:
    recipe = settings.serving.recipe
    message = f"is not there: {recipe} is served without Dynamo, so there is nothing to upgrade; {_NOTHING}"
    suggestion = (
        "`dynamo-stack list`: the engine's release is the recipe's, and a newer one is another recipe"
    )
    return Problem("platform", None, message, suggestion=suggestion)


def _unknown_present(present: str, releases: tuple[str, ...]) -> Problem:
    message = f"this project does not know where an upgrade would begin; {_NOTHING}"
    allowed = ", ".join(f'"{release}"' for release in releases)
    return Problem(_KEY, present, message, allowed=allowed, suggestion="the release that runs, by hand")


def _going_back(target: str, present: str) -> Problem:
    message = (
        f"{target} is older. The operator has brought the custom resource definitions up to {present}; an "
        "older one writes its own over them, below graphs that are stored, and nobody has tried that; "
        f"{_NOTHING}"
    )
    by_hand = f'where no `pulumi up` has run with {present}, write "{target}" by hand'
    suggestion = f"{by_hand}; else docs/upgrade.md#going-back"
    return Problem(_KEY, present, message, suggestion=suggestion)


def _behind_owner(target: str, name: str, settings: StackSettings, directory: Path) -> Iterator[Problem]:
    owner = platform_owner(settings)
    if owner is None or settings.platform is None:
        return
    version = owners_version(owner, directory)
    if version is None or version == target:
        return
    present = settings.platform.version
    message = (
        f"stack {owner} owns the platform, and Pulumi.{owner}.yaml says {version}; both have to say the "
        f"same, and {owner} goes first; {_NOTHING}"
    )
    first = f"`{_COMMAND} {owner} --to {target}`, `pulumi up --stack {owner}`, then this command again"
    suggestion = first if is_older(version, target) else f"`{_COMMAND} {name} --to {version}`"
    yield Problem(_KEY, present, message, suggestion=suggestion)


def _recipe_problems(
    steps: tuple[str, ...], name: str, settings: StackSettings, directory: Path
) -> Iterator[Problem]:
    wanted, typed = settings.serving.recipe, settings.serving.recipe_folder
    folder = directory / typed if typed else None
    if wanted not in known_recipes(folder):
        yield unknown_recipe("serving.recipe", wanted, folder)
        return
    recipe = read_recipe(wanted, folder)
    lines = recipe.runtime.platform_lines
    refused = [step for step in steps if PLATFORM_RELEASES[step].line not in lines]
    # One that is served without Dynamo has no lines, and its stack no use for a platform.
    if lines and refused:
        yield _of_another_line(recipe, name, steps[: steps.index(refused[0])], refused[0])


def _of_another_line(recipe: Recipe, name: str, reached: tuple[str, ...], refused: str) -> Problem:
    line = PLATFORM_RELEASES[refused].line
    stands = alternatives(recipe.runtime.platform_lines)
    message = (
        f"stands on platform {stands}, not on {line}: nothing is known of its engine's options there; "
        f"{_NOTHING}"
    )
    ways = [f"`{_COMMAND} {name} --to {reached[-1]}`, as far as it stands"] if reached else []
    others = [
        each.name
        for each in sound_recipes()
        if line in each.runtime.platform_lines and each.model.repository == recipe.model.repository
    ]
    if others:
        ways.append(f"{alternatives(others)}, which is another graph (docs/updates.md#another-recipe)")
    return Problem("serving.recipe", recipe.name, message, suggestion="; or ".join(ways) or None)


def _image_problems(version: str, settings: StackSettings) -> Iterator[Problem]:
    """Say which images were typed for another line; what was typed is never replaced."""
    line = PLATFORM_RELEASES[version].line
    for key, tag in typed_images(settings.serving).items():
        if known_line_name(tag) != line:
            message = (
                f"typed by hand, so it is kept; but it is of {known_line_name(tag)}, and {version} needs "
                f"one of {line}; {_NOTHING}"
            )
            suggestion = f"a tag of {line} there, or leave it out; then this command again"
            yield Problem(key, tag, message, suggestion=suggestion)
