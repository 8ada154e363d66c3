"""What vLLM's own server refuses of its options before it loads anything."""

from collections.abc import Iterator

from engines.command_line import Flags, Word
from resource_graph import ResourceGraph
from rules.reading.commands.container_commands import VLLM_SERVE, StartCommand
from rules.reading.pods.containers import reference_names
from rules.reading.shapes import Undecided
from rules.subjects import Started

_REASONING = "--reasoning-parser"
_TOOLS = "--tool-call-parser"
_AUTO = "--enable-auto-tool-choice"
_PARSERS = (
    (_REASONING, "openai_gptoss", "--reasoning-parser-plugin"),
    (_TOOLS, "openai", "--tool-parser-plugin"),
)
"""Option, its parser for gpt-oss, and the option that adds parsers to vLLM's own."""
_OF_OTHERS = frozenset({"gpt_oss", "gpt-oss", "harmony"})
"""What Dynamo and SGLang call these parsers: no vLLM that was read has one of these names."""


def refused_by_the_server(command: StartCommand, _: ResourceGraph, __: Started) -> Iterator[str]:
    """Each option with which `vllm serve` ends at start."""
    if command.engine != VLLM_SERVE:
        return
    flags = _with_dashes(command.flags)
    # Without automatic choice of tools their parser is not looked up.
    asks_for_tools = bool(flags.switch(_AUTO))
    for option, right, plugin in _PARSERS:
        given = flags.value(option)
        is_looked_up = option == _REASONING or asks_for_tools
        if given in _OF_OTHERS and is_looked_up and flags.value(plugin) is None:
            yield (
                f"{option} is {given}, a name of Dynamo's or SGLang's: vllm serve calls the parser of "
                f"gpt-oss {right}, and ends with a KeyError"
            )
    if asks_for_tools and flags.value(_TOOLS) is None and flags.value("--config") is None:
        # A switch takes no value: what follows it by a variable may be the parser's option.
        if any(each.value is not None and _is_unread(each.value) for each in flags.all):
            raise Undecided(f"a word of the command line is unknown and might set {_TOOLS}")
        yield f"{_AUTO} stands without {_TOOLS}, and vllm serve ends with a TypeError; gpt-oss needs openai"


def _is_unread(word: Word) -> bool:
    return not word.known or bool(reference_names(word.text))


def _with_dashes(flags: Flags) -> Flags:
    """The options as vLLM's parser reads them: it takes underscores for dashes."""
    return Flags(
        tuple(type(flag)(flag.name.replace("_", "-"), flag.value) for flag in flags.all),
        flags.complete,
        flags.whole_names | {_REASONING, _TOOLS},
    )
