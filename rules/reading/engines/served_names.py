"""Under which name a worker offers its model."""

from resource_graph import ResourceGraph
from rules.reading.commands.start_script import DYNAMO_VLLM, TENSORRT_LLM, TRTLLM_SERVE
from rules.reading.engines.sglang import is_sglang, read_sglang
from rules.reading.engines.tensorrt_llm import Setting, single_command
from rules.reading.pods.workers import Worker

_NAME_FLAGS = {
    TENSORRT_LLM: "--served-model-name",
    DYNAMO_VLLM: "--served-model-name",
    TRTLLM_SERVE: "--served_model_name",
}
_NAME_VARIABLES = {TENSORRT_LLM: "DYN_TRTLLM_SERVED_MODEL_NAME"}
_MODEL_FLAGS = {TENSORRT_LLM: ("--model-path", "--model"), DYNAMO_VLLM: ("--model",)}


def served_name(graph: ResourceGraph, worker: Worker) -> Setting | None:
    """The name by which requests ask for the worker's model; None where none is seen.

    Without a name of its own a Dynamo worker's is the model's path or repository. vLLM's own server may have
    several names and is not read here.

    Raises:
        Undecided: it is unknown, or the worker starts several engines.
    """
    command = single_command(worker)
    if is_sglang(worker):
        settings = read_sglang(graph, worker)
        return settings.at("--served-model-name") or settings.at("--model")
    flags = command.flags
    name_flag = _NAME_FLAGS.get(command.engine)
    given = None if name_flag is None else flags.value(name_flag)
    if name_flag is not None and given is not None:
        return Setting(given, name_flag)
    variable = command.environment.get(_NAME_VARIABLES.get(command.engine, ""))
    if variable is not None and variable.known:
        return Setting(variable.text, _NAME_VARIABLES[command.engine])
    for flag in _MODEL_FLAGS.get(command.engine, ()):
        model = flags.value(flag)
        if model is not None:
            return Setting(model, flag)
    return None
