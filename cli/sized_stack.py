"""`dynamo-stack size --to FILE`: a stack that makes the chosen layout."""

import math
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from cli.output import say
from engines.release import line_name
from hardware import INSTANCE_TYPES
from operations.errors import CommandError
from recipes.load import load_recipe
from sizing.choose import Option, Workload
from sizing.made_by import MadeBy, made_by
from sizing.points import Layout
from stacks.plan.versions import PLATFORM_RELEASES
from stacks.stack_files import PREFIX, SUFFIX, stack_directory
from stacks.wording import in_words

BASES: Mapping[str, str] = {
    "B200": "vllm-agg-b200",
    "GB200": "disagg-gb200-two-trays",
    "H200": "vllm-agg-h200",
    "H100": "vllm-disagg-h100",
}
"""Kind of GPU -> shipped stack whose cluster, network, cache and pool the new one has."""
_SETTINGS = "dynamo-stack:settings"


def new_stack(to: Path) -> str:
    """Return the name of the stack that the file will be of; CommandError where it is there, or of none."""
    name = to.name.removeprefix(PREFIX).removesuffix(SUFFIX)
    if to.name != f"{PREFIX}{name}{SUFFIX}" or not name:
        word = re.sub(r"(?i)^pulumi(\.|$)|(\.|\b)ya?ml$", "", to.name)
        named = shlex.quote(str(to.parent / f"{PREFIX}{word or 'mine'}{SUFFIX}"))
        raise CommandError(f"--to {to}: a stack's file is named {PREFIX}STACK{SUFFIX}\n  try: --to {named}")
    if os.path.lexists(to):
        raise CommandError(f"{to}: exists, and nothing is overwritten\n  try: another name")
    return name


def write_stack(name: str, workload: Workload, options: Sequence[Option], to: Path) -> None:
    """Write the stack file of the best layout that a recipe makes, and say on stderr what it holds.

    Raises:
        CommandError: no recipe makes one of them.

    """
    chosen = next(((each, made) for each in options if (made := made_by(each.point)) is not None), None)
    if chosen is None:
        raise CommandError("no recipe of the catalogue makes one of these layouts, and nothing was written")
    option, made = chosen
    if option is not options[0]:
        best = options[0].point.layout
        say(f"no recipe of the catalogue makes {best}; the best that one makes is written", error=True)
    base = stack_directory(Path.cwd()) / f"{PREFIX}{BASES[option.point.gpu]}{SUFFIX}"
    try:
        stack = _stack(name, workload, option, made, yaml.safe_load(base.read_text(encoding="utf-8")))
    except (FileNotFoundError, KeyError, TypeError, ValueError, yaml.YAMLError):
        raise CommandError(
            f"{base}: the new stack takes cluster, cache and its one pool from it, and it is missing or "
            "not as shipped\n  try: run this in a checkout of the project"
        ) from None
    content = _header(workload, option, base) + yaml.safe_dump(stack, sort_keys=False)
    with to.open("x", encoding="utf-8") as file:
        file.write(content)
    say(f"{to}: {option.point.layout} by {made[0]}", error=True)
    say(
        f"  replace accountId, publicCidrs, zone and purchase, then: `dynamo-stack explain {name}`",
        error=True,
    )


def _header(workload: Workload, option: Option, base: Path) -> str:
    point, shape = option.point, workload.shape
    lines = (
        f"{shape.input_tokens} tokens in and {shape.output_tokens} out: {point.layout} on {point.gpu}, "
        f"up to {point.users:g} users in each.",
        f"Measured with {point.layout.engine} {point.version}: {point.tokens_per_second_per_gpu:,.0f} tokens "
        f"a second and GPU, {point.tpot_ms:.1f} ms between tokens.",
        f"Cluster, network, cache and pool are those of {base.name}; replace what is yours there.",
    )
    return "".join(f"# {line}\n" for line in lines)


def _stack(
    name: str, workload: Workload, option: Option, made: MadeBy, base: dict[str, Any]
) -> dict[str, Any]:
    """The base with another name, number of nodes and serving; as many workers as asked for, or as fit."""
    settings = base["config"][_SETTINGS]
    if settings["cluster"]["kind"] != "eks":
        raise ValueError(name)
    settings["cluster"]["name"] = name
    name_of_recipe, overrides = made
    recipe = load_recipe(name_of_recipe)
    line = recipe.runtime.line_of_new_stacks
    settings["platform"]["version"] = next(each for each in PLATFORM_RELEASES if line_name(each) == line)
    [pool] = settings["nodePools"]
    gpus_of_node, layout = INSTANCE_TYPES[pool["instanceType"]].gpus, option.point.layout
    pool["nodes"] = nodes = 1 if recipe.one_pod else math.ceil(option.gpus / gpus_of_node)
    says_how_much = workload.requests_per_second or workload.users or workload.gpus
    most = nodes * gpus_of_node // layout.gpus
    count = option.replicas if says_how_much else most
    if count > most:
        stacks = in_words(math.ceil(count / most), "stack")
        say(f"one stack is one pod of this layout; what was asked for takes {stacks} like it", error=True)
        count = most
    serving = settings["serving"]
    kept = {key: serving[key] for key in ("namespace", "pool")}
    if serving["recipe"] == recipe.name and "kvTransport" in serving:
        kept["kvTransport"] = serving["kvTransport"]
    settings["serving"] = {"recipe": recipe.name, **kept, "replicas": _replicas(layout, count)}
    if overrides:
        settings["serving"]["overrides"] = {role: dict(options) for role, options in overrides.items()}
    return base


def _replicas(layout: Layout, count: int) -> dict[str, int]:
    if not layout.prefill_workers:
        return {"worker": count}
    return {"prefill": layout.prefill_workers * count, "decode": layout.workers * count}
