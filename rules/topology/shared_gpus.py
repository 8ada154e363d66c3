"""Engines of one container that begin at one GPU, and what they take of its memory."""

import re
from collections.abc import Iterator

from engines.effective import VLLM
from rules.reading.commands.container_commands import StartCommand, command_line, script_position
from rules.reading.pods.workers import Worker, shown_gpus
from rules.reading.shapes import grouped, known
from rules.rule import Advice, Said

_MEMORY_SHARE = "--gpu-memory-utilization"
_MEMORY_BYTES = "--kv-cache-memory-bytes"
_DEFAULT_SHARE = 0.9
"""Of --gpu-memory-utilization before vLLM 0.20, which takes 0.92."""


def engines_on_one_gpu(worker: Worker) -> Iterator[Said]:
    """GPUs that several engines of the worker's container take first, although their memory holds one."""
    if len(worker.commands) == 1:
        return
    by_gpu = grouped((gpus[0], command) for command in worker.commands if (gpus := shown_gpus(command)))
    for gpu, commands in by_gpu.items():
        shares = [_share_of_memory(command) for command in commands]
        if len(commands) > 1 and sum(share or 1 for share in shares) > 1:
            listed = " and ".join(dict.fromkeys(",".join(shown_gpus(command)) for command in commands))
            message = (
                f"{len(commands)} engines of one container are shown CUDA_VISIBLE_DEVICES {listed}: all of "
                f"them take GPU {gpu} first, whose memory holds one"
            )
            # In one script a branch may choose among them, and TensorRT-LLM takes what another one left.
            is_certain = None not in shares and script_position(command_line(worker.container)) is None
            yield message if is_certain else Advice(message)


def _share_of_memory(command: StartCommand) -> float | None:
    """Share of a GPU's memory that vLLM takes; None where nobody can tell."""
    given = known(command.flags.value, _MEMORY_SHARE)
    is_told = command.flags.complete and command.flags.value(_MEMORY_BYTES) is None
    if command.engine not in VLLM or not is_told:
        return None
    return float(given) if given and re.fullmatch(r"0?\.\d+|1(?:\.0*)?", given) else _DEFAULT_SHARE
