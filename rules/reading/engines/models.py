"""Which model a worker serves."""

from engines import GPT_OSS_MODELS, ModelLimits, ModelShape, model_limits
from resource_graph import ResourceGraph
from rules.reading.commands.start_script import TRTLLM_SERVE, VLLM_SERVE, StartCommand
from rules.reading.engines.sglang import is_sglang, read_sglang
from rules.reading.engines.tensorrt_llm import single_command
from rules.reading.pods.once_per_worker import once_per_worker
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


@once_per_worker
def read_model_limits(graph: ResourceGraph, worker: Worker) -> ModelLimits | None:
    """Heads, experts and positions of the model that the one engine of a worker loads; None for others.

    Raises:
        EngineFileProblem: its engine file cannot be what the engine needs.
        Undecided: it starts several engines, or none that is seen.
    """
    names = _names(single_command(worker))
    if is_sglang(worker):
        model = read_sglang(graph, worker).at("--model")
        names = [*([] if model is None else [str(model.value)]), *names]
    return next((limits for limits in map(model_limits, names) if limits is not None), None)


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
