"""Whether a container's command runs as written: shells take words away, Kubernetes keeps or joins some."""

import re
from collections.abc import Iterator, Mapping, Sequence

from engines.command_line import Environment, Word
from engines.command_options import command_options
from engines.tensorrt_llm.flags import TRTLLM_SERVE_FLAGS
from resource_graph import ResourceGraph, Value
from resource_graph.spelling import SLIPS, slip_of
from rules.reading.commands.container_commands import (
    SHELLS,
    TRTLLM_SERVE,
    VLLM_SERVE,
    StartCommand,
    command_line,
    mentions,
    names_a_program,
    program_of,
    read_script,
    script_position,
    served_by_image,
    start_commands,
)
from rules.reading.commands.written_commands import BrokenScript
from rules.reading.model_users import HUB_OPTIONS_WITH_VALUE, HUB_PROGRAMS
from rules.reading.pods.containers import all_containers, read_environment, read_image, reference_names
from rules.reading.pods.pods import GROUP_KIND, PodTemplate
from rules.reading.shapes import Undecided, attempted, known, mappings_at, texts_at
from rules.rule import EVERY_RELEASE, READABLE_PODS, Observation, Severity, failed, rule

_SHELL_VARIABLE = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]{3,})(?=[^\w:?+-]|$)")
"""Variable without a default of its own, whose name is long enough to be misspelt."""
_QUOTED = re.compile(r"""(["'])(?!\{|\[)[^"']+\1""")
"""Text between quotation marks, but for JSON."""
_SET_BY_OTHERS = re.compile(
    r"(?:DYN|DYNAMO|POD|NODE|ETCD|NATS|GROVE|LWS|KUBERNETES|PROMETHEUS|MODEL_EXPRESS)_.*"
    r"|.*_(?:SERVICE_HOST|SERVICE_PORT.*|PORT(?:_.*)?)"
)
"""Variables that an operator or Kubernetes itself may give a container: those of Services among them."""
_SET_BY_GROUPS = ("LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX")
"""Of each pod of a LeaderWorkerSet (kubernetes-sigs/lws pkg/utils/pod/pod_utils.go at 2161f38)."""
_HUB_MENTIONED = re.compile(rf"\b(?:{'|'.join(HUB_PROGRAMS)})\s")
_HUB_COMMANDS = frozenset({"download", "upload"})
_HUB_OPTIONS = HUB_OPTIONS_WITH_VALUE | {
    *("--force-download", "--local-dir-use-symlinks", "--resume-download", "--quiet", "--dry-run")
}
"""Of the command `download` in huggingface_hub 0.25.2 and 1.2.1 from PyPI; deprecated ones among them."""
_LONGEST = 60
"""Characters of a command that a message shows."""
_PARAMETER = re.compile(r"\$[@*#0-9]|\$\{[@*#0-9]")


@rule(
    READABLE_PODS,
    severity=Severity.MANDATORY,
    reason=(
        "A shell ends with a syntax error and exit code 2, or starts something else than was written. "
        "Without a shell nothing parts words at blanks: a command in one text is no program, and an option "
        "with its value in one argument is no option. Kubernetes replaces $(NAME) by a variable of the "
        "container, and a name that nothing sets stays; a shell looks for a program of that name."
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
    yield from _programs_of_no_engine(graph, template, container)
    script_at = script_position(words)
    # Names of further variables may stand elsewhere, as those of a patch do.
    from_elsewhere = mappings_at(container, "envFrom") or "envFromSecret" in template.described_by
    are_known = "image" in container and not from_elsewhere
    if are_known and script_at is None:
        yield from _unset_references(words, environment)
    if are_known and template.resource.kind == GROUP_KIND:
        yield from _unset_by_group(words, environment)
    yield from _misspelt_downloads(graph, template, container)
    started = attempted(start_commands, words, environment)
    if isinstance(started, BrokenScript):
        yield f"{started}: the shell ends with a syntax error"
    elif not isinstance(started, Undecided):
        script = None if script_at is None else words[script_at]
        for command in started:
            if script is None:
                yield from _quoted_values(command)
                yield from _options_with_blank(command)
            else:
                yield from _slips(command, script)


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


def _unset_by_group(words: Sequence[str | None], environment: Environment) -> Iterator[str]:
    """A variable that only the controller of LeaderWorkerSets could set, and does not; in a script too."""
    for word in (word for word in words if word is not None):
        for name in dict.fromkeys((*reference_names(word), *_SHELL_VARIABLE.findall(word))):
            is_known = name in environment or name in _SET_BY_GROUPS or f"{name}=" in word
            if name.startswith("LWS_") and not is_known:
                has = ", ".join(_SET_BY_GROUPS)
                yield f"its command reads {name}, which nothing sets: pods of a LeaderWorkerSet have {has}"


def _misspelt_downloads(
    graph: ResourceGraph, template: PodTemplate, container: Mapping[str, Value]
) -> Iterator[str]:
    """A subcommand or an option that the hub's command line does not have: it ends with exit code 2."""
    if not mentions(container, _HUB_MENTIONED):
        return
    for words, _ in read_script(graph, template, container).arguments_of(*HUB_PROGRAMS):
        texts = [word.text.partition("=")[0] for word in words if word.known]
        for written in texts[:1] + [text for text in texts[1:] if text.startswith("--")]:
            known = _HUB_OPTIONS if written.startswith("--") else _HUB_COMMANDS
            meant = None if written in known else slip_of(written, known, SLIPS)
            if meant is not None:
                yield f"{written} is nothing that the hub's command line has; the nearest is {meant}"


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


def _quoted_values(command: StartCommand) -> Iterator[str]:
    """Quotation marks that stay, because no shell reads the command."""
    for flag in command.flags.all:
        text = flag.value.text if flag.value is not None and flag.value.known else ""
        if _QUOTED.fullmatch(text):
            yield f"{flag.name} is given {text} with its quotation marks, which no shell takes away"


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


def _options_with_blank(command: StartCommand) -> Iterator[str]:
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


def _programs_of_no_engine(
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
