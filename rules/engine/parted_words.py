"""Words of a command that stand together where no shell parts them, or apart from the option they need."""

import re
from collections.abc import Iterator, Mapping, Sequence

from engines.command_line import Word
from engines.command_options import command_options
from engines.tensorrt_llm.flags import TRTLLM_SERVE_FLAGS
from resource_graph import ResourceGraph, Value
from resource_graph.spelling import SLIPS, slip_of
from rules.reading.commands.container_commands import (
    TRTLLM_SERVE,
    VLLM_SERVE,
    StartCommand,
    mentions,
    names_a_program,
    program_of,
    read_script,
    served_by_image,
)
from rules.reading.pods.containers import read_image
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import known, texts_at

_WITH_VALUE = re.compile(r"(--[A-Za-z][\w.-]*)\s+(\S.*)", re.DOTALL)
_WITH_OPTIONS = re.compile(r"[^\s{}$]+\s+--[A-Za-z].*", re.DOTALL)
_PLACEHOLDER = re.compile(r"[${}<>\\]")
_AFTER_A_PROGRAM = re.compile(r"-[a-z]*c|-m|[^-].*", re.DOTALL)
_ENGINE_MENTIONED = re.compile(r"\b(?:dynamo|vllm|tensorrt_llm|trtllm|trt)")
_SUBCOMMANDS = frozenset({"serve", "bench", "chat", "complete", "collect-env", "run-batch", "launch"})
_OF_VLLM = ("/vllm/vllm-openai", "/rhaiis/vllm-cuda-rhel9")
"""Endings of the images whose entrypoint was read; one's own image of the name may have another."""
_OF_NVIDIA = ("tensorrt-llm/release", "ai-dynamo/tensorrtllm-runtime")
_PROGRAMS = frozenset({f"trtllm-{name}" for name in ("bench", "build", "eval", "serve")})
_PYTHON = re.compile(r"python[\d.]*")
_MODULE = re.compile(r"(?:dynamo|vllm|tensorrt_llm)\.[\w.]+(?<!\.py)")


def program_with_blank(container: Mapping[str, Value]) -> Iterator[str]:
    """A command line that stands where the name of a program is expected."""
    program = next(iter(texts_at(container, "command")), None)
    if program is not None and len(program.split()) > 1 and not _PLACEHOLDER.search(program):
        yield (
            f"its command begins with {program!r}: no shell parts it at the blank, and no program has that "
            "name; write each word as an item of its own"
        )


def program_after_entrypoint(container: Mapping[str, Value]) -> Iterator[str]:
    """A program among the args of an image that starts one by itself."""
    given = texts_at(container, "args")
    image = known(read_image, container)
    is_published = image is not None and f"/{image.repository}".endswith(_OF_VLLM)
    # The entrypoint of older releases passes over one word beside the options.
    is_followed = given[1:] and given[1] is not None and _AFTER_A_PROGRAM.fullmatch(given[1])
    if is_followed and is_published and names_a_program(given[0]) and served_by_image(container):
        yield (
            f"its args begin with {given[0]!r}, and its image starts {VLLM_SERVE} serve by itself, which "
            "takes it for a model and ends; write it as command"
        )


def options_with_blank(command: StartCommand) -> Iterator[str]:
    """Each option that stands in one argument with its value, or with the model."""
    model = command.model_word
    if model is not None and model.known and _WITH_OPTIONS.fullmatch(model.text):
        shown = " ".join(model.text.split())
        yield f"{shown!r} is one argument: no shell parts it at the blanks, and all of it is the model"
    before = Word("")
    for word in command.arguments:
        found = _WITH_VALUE.fullmatch(word.text) if word.known else None
        # What follows an option may be its value, unless it is an option of the program.
        is_value = before.text.startswith("--") and not {" ", "="} & set(before.text)
        if found is not None and (not is_value or _is_option(command.engine, found[1])):
            yield (
                f"{' '.join(word.text.split())!r} is one argument: no shell parts it at the blank, and the "
                f"program does not take it for {found[1]}; write two arguments, or = for the blank"
            )
        before = word


def programs_of_no_engine(
    graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value]
) -> Iterator[str]:
    """Each module that python is given as a file, and program or subcommand a slip away from an engine's."""
    if not mentions(container, _ENGINE_MENTIONED):
        return
    image = known(read_image, container)
    # An image of one's own may have programs of any name.
    is_published = image is not None and image.repository.endswith(_OF_NVIDIA)
    for command in read_script(graph, template, container).commands:
        words = [word.text if word.known else "" for word in command.words]
        while words and words[0] in {"exec", "env", "nohup"}:
            del words[0]
        program = program_of(words[0]) if words else ""
        following = next(iter(words[1:]), "")
        if _PYTHON.fullmatch(program) and _MODULE.fullmatch(given := _first_argument(words[1:])):
            yield f"starts python with {given} and no -m before it: python looks for a file of that name"
        elif program == VLLM_SERVE and following not in _SUBCOMMANDS and slip_of(following, ["serve"]):
            yield f"starts {VLLM_SERVE} {following}, which is no command of {VLLM_SERVE}: write serve"
        elif is_published and program not in _PROGRAMS and slip_of(program, [TRTLLM_SERVE], SLIPS):
            yield f"starts {program}, which its image does not have: write {TRTLLM_SERVE}"


def _first_argument(words: Sequence[str]) -> str:
    """What python is to run; empty where an option says it."""
    first = next((word for word in words if not re.fullmatch(r"-[A-Zbdhiqsuvx]+", word)), "")
    return "" if first.startswith("-") else first


def _is_option(engine: str, name: str) -> bool:
    vocabulary = command_options(engine)
    if vocabulary is None:
        return name in TRTLLM_SERVE_FLAGS
    return name.replace("_", "-") in vocabulary.of_any_line
