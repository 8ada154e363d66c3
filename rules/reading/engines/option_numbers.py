"""Options of vLLM and SGLang that are whole numbers, as argparse reads them."""

import re
from collections.abc import Iterator

from engines import number_options, size_options
from rules.reading.commands.start_script import DYNAMO_VLLM, VLLM_SERVE, StartCommand
from rules.reading.engines.command_settings import CommandSettings

# What vLLM calls a human-readable integer; only --max-model-len takes auto.
_SIZE = re.compile(r"\d+(?:\.\d+)?[kKmMgGtT]|auto", re.IGNORECASE)


def number_problems(command: StartCommand, settings: CommandSettings | None) -> Iterator[str]:
    """What stands where a whole number must."""
    numbers, sizes = number_options(command.engine), size_options(command.engine)
    for flag in (command.flags if settings is None else settings.flags).all:
        if flag.name not in numbers and flag.name not in sizes:
            continue
        if flag.value is None:
            yield f"{flag.name} has no value, and argparse expects one"
        elif flag.value.known and not _is_number(flag.value.text, with_unit=flag.name in sizes):
            yield _message(flag.name, flag.value.text, "", command, with_unit=flag.name in sizes)
    if settings is None:
        return
    for key, value in settings.file.items():
        name = f"--{key}"
        # The engine makes words of the command line of its file.
        is_number = name in numbers or name in sizes
        if is_number and isinstance(value, str) and not _is_number(value, with_unit=name in sizes):
            yield _message(name, value, f" in {settings.file_source}", command, with_unit=name in sizes)


def _message(name: str, value: str, where: str, command: StartCommand, *, with_unit: bool) -> str:
    unit = " and no number with a unit such as 4k" if with_unit else ""
    engine = "vLLM" if command.engine in {DYNAMO_VLLM, VLLM_SERVE} else "SGLang"
    return f"{name}{where} is {value!r}, no whole number{unit}: {engine} ends with a usage error"


def _is_number(text: str, *, with_unit: bool) -> bool:
    if with_unit and _SIZE.fullmatch(text.strip()):
        return True
    try:
        int(text)
    except ValueError:
        return False
    return True
