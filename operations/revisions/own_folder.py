"""The stacks of this folder, recorded by the code of this process: what `dynamo-stack record` prints."""

import datetime as dt
import multiprocessing
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path
from typing import TypeAlias

from comparison.record_stack import record_stack, update_over
from comparison.recording import Side, StackRecording, UnreadStack
from comparison.secret_marks import fingerprint, without_secrets
from operations.errors import CommandError
from operations.project import recorded_stack, resolved_stack, stack_config, stack_directory
from resource_graph.printable import printable
from stacks.errors import SettingsError
from stacks.plan.stack_plan import in_phase
from stacks.settings.load import SETTINGS_KEY, TOKEN_KEY, list_stacks
from stacks.updates.planned_update import FIRST

_Recorded: TypeAlias = StackRecording | UnreadStack

_LONGEST_REASON = 2000


def recorded_folder(names: Sequence[str], over: Side | None, today: dt.date) -> Side:
    """Return the stacks of these names, or all that have a file here.

    A stack that cannot be recorded is in the answer with the reason, also where there is none of its name.

    Args:
        names: of stacks.
        over: the other side, whose stacks count as what runs.
        today: decides which waivers hold. A rule of before may hold no longer than until a day: two sides
            are judged on the same one.

    """
    directory = stack_directory(Path.cwd())
    running = over.stacks if over is not None else {}
    wanted = names or list_stacks(directory)
    recorded = _all_recorded(
        wanted, [running.get(name) for name in wanted], partial(_recorded, directory, today)
    )
    return Side(str(directory), None, {each.name: each for each in recorded})


def _all_recorded(
    names: Sequence[str],
    running: Sequence[_Recorded | None],
    recorded: Callable[[str, _Recorded | None], _Recorded],
) -> Sequence[_Recorded]:
    processes = min(os.cpu_count() or 1, len(names))
    if processes <= 1 or sys.platform != "linux":
        # Elsewhere a new process would import everything again, which takes longer than it saves.
        return [recorded(name, other) for name, other in zip(names, running, strict=True)]
    context = multiprocessing.get_context("fork")
    try:
        with ProcessPoolExecutor(processes, mp_context=context) as pool:
            return list(pool.map(recorded, names, running))
    except BrokenProcessPool:
        raise CommandError(
            "a process that records stacks has ended before its answer, as one does that is out of memory"
        ) from None


def _recorded(directory: Path, today: dt.date, name: str, running: _Recorded | None) -> _Recorded:
    try:
        return _recording(name, directory, running, today)
    except SettingsError as error:
        reason = str(error)
    except Exception as error:
        # The program of a pull request can raise anything, and the other stacks are compared all the same.
        reason = f"its program ends with {type(error).__name__}: {error}"
    return UnreadStack(name, without_secrets(printable(reason))[:_LONGEST_REASON])


def _recording(name: str, directory: Path, running: _Recorded | None, today: dt.date) -> StackRecording:
    stack, update, said = resolved_stack(name), FIRST, None
    if isinstance(running, StackRecording):
        stack, update, said = update_over(stack, running)
    # The stack was resolved from this file, so that the settings are in it.
    config = stack_config(directory / stack.source)
    secrets = _secrets(config)
    # Nobody here can decrypt the token: where its encrypted text is another one, it counts as another one.
    graph = recorded_stack(stack, update, secrets.get(TOKEN_KEY, ""))
    opened = in_phase(stack, "active")
    # A graph that waits for its window is judged before the hours that it costs begin, as `check` does.
    judged = graph if opened == stack else recorded_stack(opened)
    return record_stack(
        stack,
        graph,
        judged,
        secrets=secrets,
        update=said,
        today=today,
        settings=config[SETTINGS_KEY],
    )


def _secrets(config: Mapping[str, object]) -> dict[str, str]:
    """Return the fingerprint of each encrypted value of a stack file, by its key."""
    return {
        key: fingerprint(str(value["secure"]))
        for key, value in config.items()
        if isinstance(value, Mapping) and "secure" in value
    }
