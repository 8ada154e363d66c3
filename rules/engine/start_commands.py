"""Whether a container's command runs as written: shells take words away, Kubernetes keeps or joins some."""

import re
from collections.abc import Iterator, Mapping, Sequence

from engines.command_line import Environment
from resource_graph import ResourceGraph, Value
from resource_graph.spelling import slip_of
from rules.reading.commands.container_commands import (
    SHELLS,
    VLLM_SERVE,
    StartCommand,
    command_line,
    names_a_program,
    program_of,
    script_position,
    served_by_image,
    start_commands,
)
from rules.reading.commands.written_commands import BrokenScript
from rules.reading.pods.containers import all_containers, read_environment, read_image, reference_names
from rules.reading.pods.pods import PodTemplate
from rules.reading.shapes import Undecided, attempted, known, mappings_at, texts_at
from rules.rule import EVERY_RELEASE, READABLE_PODS, Observation, Severity, failed, rule

_SHELL_VARIABLE = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]{3,})(?=[^\w:?+-]|$)")
"""Variable without a default of its own, whose name is long enough to be misspelt."""
_SET_BY_OTHERS = re.compile(
    r"(?:DYN|DYNAMO|POD|NODE|ETCD|NATS|GROVE|LWS|KUBERNETES|PROMETHEUS|MODEL_EXPRESS)_.*"
    r"|.*_(?:SERVICE_HOST|SERVICE_PORT.*|PORT(?:_.*)?)|JOB_COMPLETION_INDEX"
)
"""Variables that an operator or Kubernetes itself may give a container: those of Services among them."""
_LONGEST = 60
"""Characters of a command that a message shows."""
_PARAMETER = re.compile(r"\$[@*#0-9]|\$\{[@*#0-9]")


@rule(
    READABLE_PODS,
    severity=Severity.MANDATORY,
    reason=(
        "A shell ends with a syntax error and exit code 2, or starts something else than was written. "
        "Without a shell nothing parts words at blanks: a command in one text is no program. Kubernetes "
        "replaces $(NAME) by a variable of the container, and a name that nothing sets stays; a shell looks "
        "for a program of that name."
    ),
    source=(
        "POSIX.1-2024 Shell Command Language and sh (-c command_string, command_name, argument); "
        "https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/"
        "; https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/; "
        "vllm-project/vllm docker/Dockerfile (ENTRYPOINT of vllm-openai)"
    ),
    lines=EVERY_RELEASE,
    fix=(
        "Close what is open, write the whole script as one text after -c, each word of a command without a "
        "shell as an item of its own, or set the variable."
    ),
)
def start_command_runs(graph: ResourceGraph, template: PodTemplate) -> Iterator[Observation]:
    """Command does not run as it is written."""
    for name, container in all_containers(template):
        subject = name if template.shape == "workload" else template.name
        for message in _problems(graph, template, container):
            yield failed(template.resource, subject, message)


def _problems(graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value]) -> Iterator[str]:
    # A command that only the update knows has no slip of the pen.
    words = attempted(command_line, container)
    environment = attempted(read_environment, graph, template, container)
    if isinstance(words, Undecided) or isinstance(environment, Undecided):
        return
    yield from _words_of_no_script(words)
    yield from _program_with_blank(container)
    yield from _program_after_entrypoint(container)
    script_at = script_position(words)
    # Names of further variables may stand elsewhere, as those of a patch do.
    from_elsewhere = mappings_at(container, "envFrom") or "envFromSecret" in template.described_by
    are_known = "image" in container and not from_elsewhere
    if are_known and script_at is None:
        yield from _unset_references(words, environment)
    started = attempted(start_commands, words, environment)
    if isinstance(started, BrokenScript):
        yield f"{started}: the shell ends with a syntax error"
    elif script_at is not None and not isinstance(started, Undecided):
        for command in started:
            yield from _slips(command, words[script_at] or "")


def _words_of_no_script(words: Sequence[str | None]) -> Iterator[str]:
    """Words beside a script, which the script does not read."""
    if not words or words[0] is None or program_of(words[0]) not in SHELLS:
        return
    script_at = script_position(words)
    if script_at is None:
        first = next((word for word in words[1:] if word is None or not word.startswith(("-", "+"))), None)
        if first is not None and len(first.split()) > 1 and "-c" not in words:
            yield f"starts {words[0]} without -c: the shell looks for a file named {_shown(first)}"
        return
    script, others = words[script_at], [word or "" for word in words[script_at + 1 :]]
    # One word behind the script may be the name that the shell's messages begin with.
    are_lost = len(others) > 1 or any(word.strip("-") and word.startswith("-") for word in others)
    if are_lost and script is not None and not _PARAMETER.search(script):
        yield (
            f"hands {words[0]} -c the script {_shown(script)} alone: of {_shown(' '.join(others))} behind it "
            "the shell runs nothing"
        )


def _shown(text: str) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= _LONGEST else f"{flat[:_LONGEST]}...")


def _unset_references(words: Sequence[str | None], environment: Environment) -> Iterator[str]:
    names = (name for word in words if word is not None for name in reference_names(word))
    for name in dict.fromkeys(names):
        # In small letters it may be a program, for a shell that the image starts.
        if name.isupper() and name not in environment and not _SET_BY_OTHERS.fullmatch(name):
            meant = slip_of(name, environment)
            near = "" if meant is None else f"; {meant} is set"
            yield f"its command has $({name}), which nothing sets and the program is given as it stands{near}"


def _slips(command: StartCommand, script: str) -> Iterator[str]:
    """A variable that nobody sets, which a shell takes for an empty text, and a line that does not go on."""
    for name in dict.fromkeys(_SHELL_VARIABLE.findall(script)):
        if name in command.environment or re.search(rf"\b(?:{name}=|(?:for|read)\b[^\n]*\b{name}\b)", script):
            continue
        meant = slip_of(name, command.environment)
        if meant is not None:
            yield f"its start script reads ${name}, which nothing sets; {meant} is set"
    if command.cut_off is not None:
        yield (
            f"a line of its start script begins with {command.cut_off}: the line before does not go on, for "
            "want of a backslash, or for a blank behind it"
        )


_PLACEHOLDER = re.compile(r"[${}<>\\]")
_AFTER_A_PROGRAM = re.compile(r"-[a-z]*c|-m|[^-].*", re.DOTALL)
_OF_VLLM = ("/vllm/vllm-openai", "/rhaiis/vllm-cuda-rhel9")
"""Endings of the images whose entrypoint was read; one's own image of the name may have another."""


def _program_with_blank(container: Mapping[str, Value]) -> Iterator[str]:
    """A command line that stands where the name of a program is expected."""
    program = next(iter(texts_at(container, "command")), None)
    if program is not None and len(program.split()) > 1 and not _PLACEHOLDER.search(program):
        yield (
            f"its command begins with {program!r}: no shell parts it at the blank, and no program has that "
            "name; write each word as an item of its own"
        )


def _program_after_entrypoint(container: Mapping[str, Value]) -> Iterator[str]:
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
