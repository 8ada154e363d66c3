"""What a container runs: the engine or frontend that it starts, or a script with downloads and load."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from engines.command_line import (
    LONGEST_WORD,
    UNKNOWN_WORD,
    Environment,
    Flags,
    Setting,
    Word,
    parse_flags,
    variable_in,
)
from resource_graph import ResourceGraph, Value
from rules.reading.commands.shell import Files, SimpleCommand, simple_commands
from rules.reading.pods.containers import expand_references, read_environment, read_image
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import Undecided, answered, attempted, known, texts_at

TENSORRT_LLM = "dynamo.trtllm"
TRTLLM_SERVE = "trtllm-serve"
DYNAMO_VLLM = "dynamo.vllm"
VLLM_SERVE = "vllm"
DYNAMO_FRONTEND = "dynamo.frontend"
"""Module of Dynamo's HTTP server and router, which is no engine."""
DYNAMO_SGLANG = "dynamo.sglang"
API_SERVER = "vllm.entrypoints.openai.api_server"
"""The module behind `vllm serve`, with the same options (vllm 0.11.0 and 0.20.1, make_arg_parser)."""
_MODULES = {
    **{each: each for each in (TENSORRT_LLM, DYNAMO_VLLM, DYNAMO_SGLANG, DYNAMO_FRONTEND)},
    API_SERVER: VLLM_SERVE,
}
"""Module -> the engine or frontend that it starts."""
ENGINES = (TENSORRT_LLM, TRTLLM_SERVE, DYNAMO_VLLM, VLLM_SERVE, DYNAMO_SGLANG)
"""Modules and programs that start an engine."""
_SERVING_IMAGES = frozenset({"vllm-openai", "vllm-cuda-rhel9"})
"""Names of images whose entrypoint is vLLM's server (vllm-project/vllm docker/Dockerfile; Red Hat's
rhaiis/vllm-cuda-rhel9)."""
_PROGRAM = re.compile(r"(?:/\S*)?\b(?:s?bin/\S+|(?:ba|da|z|a)?sh|python[\d.]*|vllm|serve|exec|env|tini|ray)")
"""What args begin with that name a program of their own."""
SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh"})
_DEEPEST_SCRIPT = 5
_OPTION = re.compile(r"--?[A-Za-z]")
# Builtins that name a program, and start none.
_ONLY_NAME = frozenset({"which", "type", "hash", "echo", "printf", "alias"})


@dataclass(frozen=True, slots=True)
class StartCommand:
    """The command that starts an engine, or Dynamo's frontend."""

    engine: str
    """Name of the module or program, such as TENSORRT_LLM."""
    arguments: tuple[Word, ...]
    """The words after the module or program."""
    environment: Environment
    files: Files = field(default_factory=dict[str, Word])
    """Files that the start script wrote before this command, by path."""
    cut_off: str | None = None
    """An option that the script has at the beginning of the next command: this one was to go on there."""
    by_exec: bool = False
    """Whether the shell that reads the command becomes the engine, which then hears the signals."""
    flags: Flags = field(init=False, repr=False, compare=False)
    """Options among the arguments; read once, because nearly every rule asks for one."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "flags", parse_flags(self.arguments))

    def given(self, flag: str, variable: str) -> Setting | None:
        """What an option is given, by its flag or its variable; None where neither is there."""
        text, source = self.flags.value(flag), flag
        if text is None:
            text, source = variable_in(self.environment, variable), variable
        return None if text is None else Setting(text, source)

    @property
    def shown_gpus(self) -> Sequence[str]:
        """What CUDA shows the engine, its own GPUs first; empty where nobody says."""
        word = self.environment.get("CUDA_VISIBLE_DEVICES")
        return word.text.split(",") if word is not None and word.known and word.text else ()

    @property
    def model_word(self) -> Word | None:
        """The word of `trtllm-serve MODEL`, `trtllm-serve serve MODEL` or `vllm serve MODEL`."""
        if self.engine not in {TRTLLM_SERVE, VLLM_SERVE}:
            return None
        words = self.arguments[1:] if self.arguments[:1] == (Word("serve"),) else self.arguments
        return words[0] if words and not words[0].text.startswith("-") else None


def command_line(container: Mapping[str, Value]) -> Sequence[str | None]:
    """The words of `command`, or of vLLM's image, and of `args`; None stands for an unknown one."""
    given = texts_at(container, "args")
    return [*(texts_at(container, "command") or _entrypoint(container, given)), *given]


def served_by_image(container: Mapping[str, Value]) -> bool:
    """Whether a container leaves what is started to an image that starts vLLM's server."""
    image = None if texts_at(container, "command") else known(read_image, container)
    return image is not None and image.name in _SERVING_IMAGES


def names_a_program(word: str | None) -> bool:
    """Whether the first of a container's args is a program, and no option or model."""
    return word is not None and _PROGRAM.fullmatch(word) is not None


def _entrypoint(container: Mapping[str, Value], given: Sequence[str | None]) -> Sequence[str]:
    # Where the args name a program, the image may be another one of that name.
    served = bool(given) and not names_a_program(given[0]) and served_by_image(container)
    return (VLLM_SERVE, "serve") if served else ()


def start_commands(words: Sequence[str | None], environment: Environment) -> Sequence[StartCommand]:
    """Every engine and frontend that the container's command line starts."""
    return answered(_started(tuple(words), tuple(environment.items())))


def script_position(words: Sequence[str | None]) -> int | None:
    """Position of `sh -c`'s script among the words of a command line; None where there is none."""
    if not words or words[0] is None or program_of(words[0]) not in SHELLS:
        return None
    for index, word in enumerate(words[1:], start=1):
        if word is not None and re.fullmatch(r"-[a-z]*c[a-z]*", word) and index + 1 < len(words):
            return index + 1
    return None


def arguments_of(
    commands: Sequence[SimpleCommand], *programs: str
) -> Iterator[tuple[Sequence[Word], Environment]]:
    """The words after each of these programs, also where another one starts them: `python3 -m pip`."""
    for command in commands:
        for index, word in enumerate(command.words):
            if word.known and word.text.rpartition("/")[2] in programs:
                yield command.words[index + 1 :], command.environment
                break


def mentions(container: Mapping[str, Value], pattern: re.Pattern[str]) -> bool:
    """Whether the pattern is found anywhere in the container's command line."""
    return pattern.search(" ".join(word or "" for word in command_line(container))) is not None


def read_script(
    graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value]
) -> tuple[Sequence[SimpleCommand], Undecided | None]:
    """What the container runs, and why it cannot be followed further; None where it can be to its end.

    Shell functions are read where they are called, with the arguments of the call.
    """
    environment = read_environment(graph, template, container)
    found = _commands(command_line(container), environment)
    commands: list[SimpleCommand] = []
    return commands, attempted(commands.extend, found)


def program_of(word: str) -> str:
    """The last part of the word as a path; each word of each command line is asked for it."""
    return word.rstrip("/").rpartition("/")[2]


# Workers, frontends and servers are each read from all containers, equal ones among them.
@lru_cache(maxsize=4096)
def _started(
    words: tuple[str | None, ...], variables: tuple[tuple[str, Word], ...]
) -> tuple[StartCommand, ...] | Undecided:
    def read() -> tuple[StartCommand, ...]:
        started: list[StartCommand] = []
        for command in _commands(words, dict(variables)):
            first = command.words[0] if command.words else UNKNOWN_WORD
            if (engine := _engine_of(command)) is not None:
                started.append(engine)
            elif started and first.known and _OPTION.match(first.text):
                started[-1] = replace(started[-1], cut_off=first.text)
        return tuple(started)

    return attempted(read)


def _commands(words: Sequence[str | None], environment: Environment) -> Iterator[SimpleCommand]:
    """What a command line runs, its own script and those that it hands to further shells."""
    script_at = script_position(words)
    if script_at is None:
        known = (UNKNOWN_WORD if word is None else expand_references(word, environment) for word in words)
        return _followed(SimpleCommand(tuple(known), environment), depth=0)
    script = words[script_at]
    if script is None:
        raise Undecided("the start script is known only after the update")
    # A reference to an unknown value stays, for the shell's reader to meet.
    text = expand_references(script, {name: word for name, word in environment.items() if word.known})
    if not text.known:
        raise Undecided(f"the start script has more than {LONGEST_WORD:,} characters")
    return _script_commands(text.text, environment, depth=1)


def _script_commands(script: str, environment: Environment, depth: int) -> Iterator[SimpleCommand]:
    if depth > _DEEPEST_SCRIPT:
        raise Undecided("the start script starts shells inside shells")
    for command in simple_commands(script, environment):
        yield from _followed(command, depth)


def _followed(command: SimpleCommand, depth: int) -> Iterator[SimpleCommand]:
    scripts = list(_scripts_of(command))
    for script in scripts:
        if not script.known:
            raise Undecided("the start script hands a text to another shell that is known only later")
        yield from _script_commands(script.text, command.environment, depth + 1)
    if not scripts:
        yield command


def _scripts_of(command: SimpleCommand) -> Iterator[Word]:
    """The texts that a command hands to shells; a supervisor starts several of them."""
    texts = [word.text if word.known else None for word in command.words]
    start = 0
    while start < len(texts):
        text = texts[start]
        if text is not None and program_of(text) in SHELLS:
            script_at = script_position(texts[start:])
            if script_at is not None:
                start += script_at
                yield command.words[start]
            elif command.here_document is not None:
                yield command.here_document
                return
        start += 1


def _engine_of(command: SimpleCommand) -> StartCommand | None:
    texts = [word.text if word.known else "" for word in command.words]
    if _only_names(texts):
        return None
    for index, text in enumerate(texts):
        program = program_of(text)
        is_module = text in _MODULES and texts[max(0, index - 1)] == "-m"
        is_server = program == TRTLLM_SERVE or [program, *texts[index + 1 : index + 2]] == ["vllm", "serve"]
        if is_module or is_server:
            engine = _MODULES[text] if is_module else program
            words, by_exec = command.words[index + 1 :], texts[0] == "exec"
            return StartCommand(engine, words, command.environment, command.files, by_exec=by_exec)
    return None


def _only_names(texts: Sequence[str]) -> bool:
    """Whether the command names programs, and starts none."""
    program = program_of(texts[0]) if texts else ""
    return program in _ONLY_NAME or (program == "command" and texts[1:2] in (["-v"], ["-V"]))
