"""The commands of a runbook page, so that the page and its test cannot drift apart."""

import re
import shlex
import subprocess
import time

from lab.directory import REPOSITORY
from tests.support.lab_stack import LabStack
from tests.support.measured import record

RUNBOOK = REPOSITORY / "docs" / "runbook"
INDEX = "README.md"
HEADINGS = ("What you see", "What happened", "What to type")
# Nobody reads it here, and each takes seconds.
_WITHOUT_PREVIEW = {"PULUMI_OPTION_SKIP_PREVIEW": "true"}
# What a page promises of the commands that heal, on a machine that does nothing else.
_HEALED_SECONDS = 60.0
_HEALING_COMMANDS = 2
# A page's own --timeout ends a command before this does.
_SECONDS = 180.0

_BLOCK = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)
_PLACEHOLDER = re.compile(r"\b[A-Z][A-Z_]+\b")


def pages() -> tuple[str, ...]:
    """The names of all pages but the index, without their ending."""
    return tuple(sorted(file.stem for file in RUNBOOK.glob("*.md") if file.name != INDEX))


def commands(page: str) -> tuple[str, ...]:
    """The lines after `$ ` in the page's console blocks, in order."""
    text = (RUNBOOK / f"{page}.md").read_text(encoding="utf-8")
    lines = [line for block in _BLOCK.findall(text) for line in block.splitlines()]
    return tuple(line.removeprefix("$ ") for line in lines if line.startswith("$ "))


def words(command: str, values: dict[str, str]) -> list[str]:
    """The command's words; placeholders, words in capitals, are replaced. KeyError for an unknown one."""
    return shlex.split(_PLACEHOLDER.sub(lambda found: values[found[0]], command))


def typed(stack: LabStack, command: str, **values: str) -> subprocess.CompletedProcess[str]:
    """Types one command of a page in the lab, where it must succeed; STACK is known."""
    variables, (program, *arguments) = assignments(words(command, {"STACK": stack.name} | values))
    if program == "pulumi":
        return stack.lab.pulumi(
            *arguments, cwd=stack.project, seconds=_SECONDS, variables=_WITHOUT_PREVIEW | variables
        )
    if program == "dynamo-stack":
        return stack.dynamo_stack(*arguments, seconds=_SECONDS, variables=variables)
    return stack.lab.run(program, *arguments, seconds=_SECONDS, variables=variables)


def healed(stack: LabStack, page: str, *healing: str, **values: str) -> str:
    """Types a page's commands that heal, and records their time; returns what the last one says."""
    began = time.monotonic()
    said = [typed(stack, command, **values).stdout for command in healing]
    took = time.monotonic() - began
    record("loss", page, took, f"at most {_HEALED_SECONDS:.0f} s")
    assert len(said) <= _HEALING_COMMANDS
    return said[-1]


def assignments(typed_words: list[str]) -> tuple[dict[str, str], list[str]]:
    """The variables that stand before a command, and the command."""
    first = next(index for index, word in enumerate(typed_words) if "=" not in word)
    variables = dict(word.split("=", 1) for word in typed_words[:first])
    return variables, typed_words[first:]
