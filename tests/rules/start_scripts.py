"""Start scripts of containers, read in an environment that tests know."""

from rules.reading.commands.container_commands import StartCommand, start_commands
from rules.reading.commands.words import UNKNOWN_WORD, Word

ENVIRONMENT = {
    "TP": Word("4"),
    "FLAGS": Word("--tensor-parallel-size 4  --other"),
    "EMPTY": Word(""),
    "SECRET": UNKNOWN_WORD,
}


def commands(script: str) -> list[StartCommand]:
    return list(start_commands(["/bin/sh", "-c", script], ENVIRONMENT))
