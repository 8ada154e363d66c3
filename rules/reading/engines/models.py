"""Which gpt-oss model a worker serves."""

from hardware import GPT_OSS_MODELS, ModelShape
from rules.reading.commands.start_script import TRTLLM_SERVE, VLLM_SERVE, StartCommand
from rules.reading.pods.workers import Worker

_MODEL_FLAGS = ("--model", "--model-path", "--model_path", "--served-model-name", "--served_model_name")
_MODEL_VARIABLES = ("DYN_TRTLLM_MODEL", "DYN_TRTLLM_SERVED_MODEL_NAME", "SERVED_MODEL_NAME")


def read_gpt_oss(worker: Worker) -> ModelShape | None:
    """The gpt-oss model that the worker's command names, by path, repository or served name.

    None where it names another model, or none that is seen.
    """
    for command in worker.commands:
        for text in _names(command):
            for name, shape in GPT_OSS_MODELS.items():
                if name in text.lower():
                    return shape
    return None


def names_a_model(worker: Worker) -> bool:
    """Whether the command says which model it serves, whichever that is."""
    return any(_names(command) for command in worker.commands)


def _names(command: StartCommand) -> list[str]:
    names: list[str] = []
    words = [word.text if word.known else "" for word in command.arguments]
    for index, word in enumerate(words):
        flag, equals, value = word.partition("=")
        if flag in _MODEL_FLAGS:
            names.append(value if equals else "".join(words[index + 1 : index + 2]))
    if command.engine in {TRTLLM_SERVE, VLLM_SERVE}:
        # `trtllm-serve MODEL`, `trtllm-serve serve MODEL`, `vllm serve MODEL`.
        positional = words[1:2] if words[:1] == ["serve"] else words[:1]
        names += [word for word in positional if not word.startswith("-")]
    for variable in _MODEL_VARIABLES:
        word = command.environment.get(variable)
        if word is not None and word.known:
            names.append(word.text)
    return [name for name in names if name]
