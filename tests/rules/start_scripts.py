"""Start scripts of containers, read in an environment that tests know."""

from engines.command_line import UNKNOWN_WORD, Word
from rules.reading.commands.container_commands import StartCommand, start_commands

ENVIRONMENT = {
    "TP": Word("4"),
    "FLAGS": Word("--tensor-parallel-size 4  --other"),
    "EMPTY": Word(""),
    "SECRET": UNKNOWN_WORD,
}


def commands(script: str) -> list[StartCommand]:
    return list(start_commands(["/bin/sh", "-c", script], ENVIRONMENT))
