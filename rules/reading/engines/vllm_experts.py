"""What vLLM is told to run the MXFP4 experts of gpt-oss with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engines import VLLM_MOE_VARIABLES, VllmMoeKernels
from rules.reading.commands.words import Word
from rules.reading.engines.command_settings import CommandSettings
from rules.reading.engines.tensorrt_llm import Setting
from rules.reading.shapes import Undecided

AUTO = "auto"
BACKEND_FLAG = "--moe-backend"


@dataclass(frozen=True, slots=True)
class VllmVariable:
    """A variable that asks for kernels."""

    name: str
    kernels: VllmMoeKernels


def read_vllm_backend(settings: CommandSettings) -> Setting:
    """The value of --moe-backend.

    Raises:
        Undecided: it is unknown, or no text.
    """
    found = settings.setting(BACKEND_FLAG, AUTO)
    if not isinstance(found.value, str):
        raise Undecided(f"{BACKEND_FLAG} ({found.source}) is {found.value!r}, not a text")
    return found


def read_vllm_variables(environment: Mapping[str, Word]) -> Iterator[VllmVariable]:
    """The variables that ask for expert kernels, as far as they are on.

    Raises:
        Undecided: the value of one is unknown, or not a number.
    """
    for name, kernels in VLLM_MOE_VARIABLES.items():
        word = environment.get(name)
        if word is None:
            continue
        if not word.known:
            raise Undecided(f"the value of the variable {name} is unknown")
        if not (word.text.isascii() and word.text.isdigit()):
            raise Undecided(f"{name} is {word.text!r}, and vLLM takes 0 or 1")
        if word.text.strip("0"):
            yield VllmVariable(name, kernels)
