"""What prefill and decode must have in common, as one hands its KV cache to the other."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import PurePosixPath

from engines.effective import flag_of
from engines.models import model_limits
from resource_graph import ResourceGraph
from rules.reading.disaggregation import Disaggregated, Role
from rules.reading.engines.expert_kernels import OVERRIDE_VARIABLE, kernels_on, read_override
from rules.reading.engines.models import (
    checkpoint_name,
    effective_backend,
    effective_format,
    read_kv_format,
    read_model_limits,
    read_mxfp4,
    served_name,
    tokens_per_block,
)
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings
from rules.reading.kv_ways import (
    KV_TRANSFER,
    KV_TRANSFER_CONFIG,
    NIXL_CONNECTOR,
    connects_by_itself,
    moving_config,
    nixl_backends,
)
from rules.reading.model_users import model_reference
from rules.reading.placements import read_landing
from rules.reading.pods.containers import reference_names
from rules.reading.pods.workers import Worker
from rules.reading.releases import known_lines, lines_of_engine, runtime_image
from rules.reading.shapes import Undecided, field, grouped, known, mapping_at, text_at
from rules.rule import DISAGGREGATED, Advice, Observation, Said, Severity, about, each_of, rule

_OF_NIXL_ITSELF = "UCX"
"""The plugin that NIXL takes where none is named."""
_SPECULATIVE = "speculative_config"
_COMPARES = "enforce_handshake_compat"
_COMPARED_IN = frozenset((1, minor) for minor in range(2, 7))
"""Lines of Dynamo whose vLLM has the name of the model in the hash that both sides must share."""
_ROLES: Mapping[Role, tuple[str, str]] = {
    "prefill": ("kv_both", "kv_producer"),
    "decode": ("kv_both", "kv_consumer"),
}


@rule(
    DISAGGREGATED,
    severity=Severity.MANDATORY,
    reason=(
        "The router brings prefill and decode together by the model's name: with two names prefill is never "
        "called. A cache of another model has another shape, the receiving side refuses other blocks, and "
        "bytes of another format are not taken or read wrongly. vLLM's NixlConnector compares the text of "
        "--model, so that it refuses one model at two paths too. Each "
        "library has a handshake of its own: a decode worker that speaks another waits for a cache that "
        "never comes, or computes the prompt again by itself (advice). A draft model's layers are "
        "part of the cache, so that one side's does not fit the other (advice). With other activations in "
        "its experts quality and measurements are of neither side, and the engine compares nothing (advice)."
    ),
    source=(
        "NVIDIA/TensorRT-LLM docs/source/features/disagg-serving.md at 0434b98, "
        "tensorrt_llm/_torch/model_config.py (get_mxfp4_quant_algo), docs trtllm-kv-cache-transfer (backend "
        "DEFAULT) in ai-dynamo/dynamo at 2f34551; ai-dynamo/dynamo docs cloud-providers/eks/efa.md at "
        "0c21bf2 (kv_role), lib/llm/src/discovery/model_manager.rs (activate_prefill_router); "
        "NVIDIA/TensorRT-LLM cpp/tensorrt_llm/batch_manager/cacheFormatter.cpp (inquireSupport); "
        "vllm-project/vllm kv_connector/v1/nixl/metadata.py (compute_nixl_compatibility_hash); "
        "ai-dynamo/dynamo recipes/gpt-oss-120b/vllm/disagg-b200-agentic at 2a6da14 (draft on both)"
    ),
    lines=("Dynamo 0.5 to 1.6", "TensorRT-LLM 1.3.0rc14"),
    fix=(
        "Give both sides one image, --model, --served-model-name and tokens_per_block, one "
        "kv_cache_config.dtype (vLLM: --kv-cache-dtype), one backend or "
        "connector (prefill kv_both or kv_producer, decode kv_both or kv_consumer), and OVERRIDE_QUANT_ALGO "
        "on both or on neither, on one GPU type."
    ),
)
def prefill_and_decode_agree(graph: ResourceGraph, group: Disaggregated) -> Iterator[Said]:
    """Prefill and decode differ in what they must share."""
    return each_of(graph, group, _models, _formats, _libraries, _drafts, _releases, _roles, _experts)


def _is_compared(graph: ResourceGraph, worker: Worker) -> bool:
    """Whether NIXL's connector is known to compare the models before it moves a block."""
    lines = lines_of_engine(worker) if is_vllm(worker) else ()
    is_read = bool(lines) and _COMPARED_IN.issuperset(lines)
    config = (read_settings(graph, worker).mapping(KV_TRANSFER) if is_read else None) or {}
    extra = mapping_at(config, "kv_connector_extra_config")
    return text_at(config, "kv_connector") == NIXL_CONNECTOR and field(extra, _COMPARES) is not False


def _checkpoints(graph: ResourceGraph, group: Disaggregated) -> Iterator[Said]:
    """Two repositories or two paths: NIXL's connector of vLLM brings no two texts of --model together.

    A path beside a repository may be that repository's: offline, vLLM has the path in its place.
    """
    are_compared = all(_is_compared(graph, worker) for worker in group.workers)
    read = checkpoint_name if are_compared else partial(known, checkpoint_name)
    loaded = {each.name: model_reference(read(each.commands[0]) or "", "") for each in group.workers}
    unset = next((name for name, each in loaded.items() if reference_names(each.text)), None)
    if unset is not None and len({each.text for each in loaded.values()}) > 1:
        text = loaded[unset].text
        yield Undecided(f"the model of {unset} is {text}, and nothing that was read sets that variable")
        return
    are_paths = all(model.is_path for model in loaded.values())
    paths = {name: PurePosixPath(model.text) for name, model in loaded.items() if are_paths}
    if are_compared:
        refused = f"which {NIXL_CONNECTOR} refuses to bring together"
        named = {
            name: (model.repository, "") for name, model in loaded.items() if model.repository is not None
        }
        differing = tuple(_different(f"they load different models, {refused}", named))
        texts = {name: (path, "") for name, path in paths.items()}
        yield from differing or _different(f"they load their models from different paths, {refused}", texts)
    else:
        said = "they load their models from different folders, and nothing says whether those hold one model"
        folders = {name: ((model_limits(str(path)) or path).name, "") for name, path in paths.items()}
        yield from map(Undecided, _different(said, folders))


def _models(graph: ResourceGraph, group: Disaggregated) -> Iterator[Said]:
    names = {worker.name: served_name(worker) for worker in group.workers}
    yield from _different(
        "their models have different names",
        {name: (found.value, f" ({found.source})") for name, found in names.items() if found is not None},
    )
    models = {worker.name: read_model_limits(graph, worker) for worker in group.workers}
    named = {name: (model.name, "") for name, model in models.items() if model is not None}
    differing = tuple(_different("they load different models", named))
    yield from differing or _checkpoints(graph, group)
    if all(is_tensorrt_llm(worker) for worker in group.workers):
        sizes = {each.name: tokens_per_block(read_settings(graph, each)) for each in group.workers}
        yield from _different(
            "their tokens_per_block differ",
            {name: (size.value, f" ({size.source})") for name, size in sizes.items()},
        )


def _different(what: str, found: Mapping[str, tuple[object, str]]) -> Iterator[str]:
    if len({str(value) for value, _ in found.values()}) > 1:
        shown = ", ".join(f"{name} {value}{source}" for name, (value, source) in found.items())
        yield f"{what}: {shown}"


def _formats(graph: ResourceGraph, group: Disaggregated) -> Iterator[str]:
    formats = {worker: read_kv_format(graph, worker) for worker in group.workers}
    found = {worker: each for worker, each in formats.items() if each is not None}
    # What "auto" comes to is asked only where another side says something else.
    if len({each.value for each in found.values()}) > 1:
        yield from _different(
            "the formats of their KV cache differ",
            {
                worker.name: (effective_format(graph, worker, each), f" by {each}")
                for worker, each in found.items()
            },
        )


def _libraries(graph: ResourceGraph, group: Disaggregated) -> Iterator[Advice]:
    senders = {_library(graph, worker, "prefill"): worker for worker in group.prefill}
    receivers = {_library(graph, worker, "decode"): worker for worker in group.decode} if any(senders) else {}
    for (sending, sender), (receiving, receiver) in product(senders.items(), receivers.items()):
        if sending is not None and receiving is not None and sending != receiving:
            hands = f"{sender.name} hands KV cache over by {sending}"
            yield Advice(f"{hands}, but {receiver.name} takes it by {receiving}")
            return


def _library(graph: ResourceGraph, worker: Worker, role: Role) -> str | None:
    """The library that the worker transfers with; None without one, which another rule reports."""
    if is_tensorrt_llm(worker):
        backend = effective_backend(graph, worker)
        return None if backend is None else f"TensorRT-LLM's {backend}"
    if not is_vllm(worker):
        raise Undecided(f"{worker.name} starts an engine whose KV transfer is not read here")
    config = moving_config(graph, worker)
    if config is not None:
        connector = text_at(config, "kv_connector") or "a connector without a name"
        if connector != NIXL_CONNECTOR:
            return connector
        return f"{connector} ({' and '.join(sorted(nixl_backends(config) or [_OF_NIXL_ITSELF]))})"
    if role == "prefill" and not known_lines(worker.container, worker.template):
        return None
    if connects_by_itself(worker):
        return f"{NIXL_CONNECTOR} ({_OF_NIXL_ITSELF})"
    return "no connector" if role == "decode" else None


def _drafts(graph: ResourceGraph, group: Disaggregated) -> Iterator[Advice]:
    """A draft model has layers of its own in the KV cache."""
    if not all(map(is_vllm, group.workers)):
        return
    # Heads of the model itself (MTP) the publisher gives to decode alone.
    configs = {worker: read_settings(graph, worker).mapping(_SPECULATIVE) or {} for worker in group.workers}
    methods = {worker.name: text_at(config, "method") or "" for worker, config in configs.items()}
    with_draft = [name for name, method in methods.items() if method.startswith("eagle")]
    without = [name for name in methods if name not in with_draft]
    if with_draft and without:
        names = ", ".join(with_draft)
        yield Advice(
            f"a draft model ({flag_of(_SPECULATIVE)}) is given to {names} and not to {', '.join(without)}"
        )


def _releases(_: ResourceGraph, group: Disaggregated) -> Iterator[Advice]:
    images = {worker.name: runtime_image(worker) for worker in group.workers}
    lines = {name: image[0][:2] for name, image in images.items() if image is not None}
    shown = {name: (f"{major}.{minor}", "") for name, (major, minor) in lines.items()}
    yield from map(Advice, _different("their runtimes are of different release lines", shown))


def _roles(graph: ResourceGraph, group: Disaggregated) -> Iterator[Observation]:
    for worker in filter(is_vllm, group.workers):
        role: Role = "prefill" if worker in group.prefill else "decode"
        config = read_settings(graph, worker).mapping(KV_TRANSFER)
        given = None if config is None else text_at(config, "kv_role")
        if config is not None and given not in _ROLES[role]:
            said = (
                f"is a {role} worker with kv_role {given or 'unset'} in {KV_TRANSFER_CONFIG}; of use are "
                f"{' and '.join(_ROLES[role])}"
            )
            yield from about(worker, [Advice(said)])


def _experts(graph: ResourceGraph, group: Disaggregated) -> Iterator[Advice]:
    workers = group.workers
    if not all(is_tensorrt_llm(worker) and read_mxfp4(graph, worker) for worker in workers):
        return
    by_algorithm = grouped(
        (algorithm, f"{worker.name} ({source})")
        for worker in workers
        for algorithm, source in _algorithms(graph, worker).items()
    )
    if len(by_algorithm) > 1:
        found = ", ".join(f"{name} in {' and '.join(users)}" for name, users in by_algorithm.items())
        yield Advice(f"prefill and decode differ in their experts: {found}")


def _algorithms(graph: ResourceGraph, worker: Worker) -> dict[str, str]:
    """Effective algorithm -> its source; several where the GPUs that the worker can land on differ."""
    settings = read_settings(graph, worker)
    override = read_override(settings.environment)
    if override is not None:
        return {override: OVERRIDE_VARIABLE}
    accelerators, _ = read_landing(graph, worker)
    kernels = [kernels_on(settings, gpu) for gpu in accelerators]
    return {item.algorithm.value: item.algorithm.source for item in kernels}
