"""Whether prefill and decode are both there, and set up to hand KV cache over."""

import re
from collections.abc import Iterator

from resource_graph import Resource, ResourceGraph
from rules.reading.commands.container_commands import DYNAMO_VLLM, mentions
from rules.reading.disaggregation import MODE_FLAG, MODE_VARIABLES, Role, read_role
from rules.reading.engines.models import (
    TRANSCEIVER_BACKENDS,
    TRANSCEIVER_SETTING,
    transceiver_backend,
)
from rules.reading.engines.settings import is_tensorrt_llm, is_vllm, read_settings
from rules.reading.kv_ways import (
    KV_TRANSFER,
    KV_TRANSFER_CONFIG,
    connects_by_itself,
)
from rules.reading.pods.containers import environment_entries
from rules.reading.pods.pods import GRAPH_KIND, PodTemplate, Unreadable, pods_near, read_pods
from rules.reading.pods.workers import Worker, workers_by_resource
from rules.reading.releases import READ_SINCE, by_line, known_lines
from rules.reading.shapes import Undecided, attempted, field, known, text_at
from rules.rule import (
    WORKERS,
    Observation,
    Severity,
    failed,
    graph_rule,
    names,
    rule,
    undecided,
)

_OLD_NAMESPACE_IGNORED_SINCE = (1, 2)
"""From there on the operator names the Dynamo namespace after the graph (ai-dynamo/dynamo
deploy/operator/api/v1alpha1/dynamocomponentdeployment_types.go, ComputeDynamoNamespace, at 2a6da14)."""
_OTHER_GRAPHS = re.compile(r"global[_-]router|--namespace\b|\bDYN_NAMESPACE\b|\bdyn://")
"""Pattern of commands that look into another Dynamo namespace than their graph's."""


@graph_rule(
    severity=Severity.MANDATORY,
    reason=(
        "A prefill worker answers nothing by itself. A decode worker of TensorRT-LLM or SGLang raises an "
        "error for a request that no prefill worker has begun; vLLM's computes the prompt itself."
    ),
    source=(
        "ai-dynamo 1.2.1 and 1.3.1 from PyPI: dynamo/trtllm/request_handlers/handler_base.py, "
        "dynamo/sglang/request_handlers/llm/decode_handler.py"
    ),
    lines=("Dynamo 1.2", "Dynamo 1.3"),
    fix="Add the other half with at least one replica, or take --disaggregation-mode away.",
)
def roles_complete(graph: ResourceGraph) -> Iterator[Observation]:
    """One of prefill and decode is missing."""
    for resource in graph.kubernetes_objects(GRAPH_KIND):
        # A worker that cannot be read may be the missing half; another rule reports it.
        message = known(_missing_half, graph, resource)
        if message is None:
            continue
        own = (each.template for each in workers_by_resource(graph)[resource.urn] if isinstance(each, Worker))
        others = (each for each in pods_near(graph, resource.namespace) if each.resource is not resource)
        # Each graph is a Dynamo namespace of its own, and frontends and routers look no further unless told.
        joins = [attempted(_joins, each) for each in (*own, *others)]
        name = text_at(resource.metadata, "name") or resource.name
        if not any(joins):
            yield failed(resource, name, message)
        elif True not in joins:
            yield undecided(resource, name, str(next(filter(None, joins))))


def _missing_half(graph: ResourceGraph, resource: Resource) -> str | None:
    pods = [each for each in read_pods(graph) if each.resource is resource]
    workers = workers_by_resource(graph).get(resource.urn, ())
    readable = [each for each in workers if isinstance(each, Worker) and each.commands]
    if len(readable) < len(workers) or any(isinstance(each, Unreadable) for each in pods):
        return None
    is_scaled = any(isinstance(each, PodTemplate) and each.component_type == "planner" for each in pods)
    there = [worker for worker in readable if is_scaled or _has_pods(worker)]
    roles = {read_role(worker) for worker in there}
    if roles == {"prefill"}:
        return f"{names(there)} prefills, and no worker of the graph decodes: no request is answered"
    if roles == {"decode"} and not any(map(is_vllm, there)):
        return f"{names(there)} decodes, and no worker of the graph prefills: each request ends with an error"
    return None


def _joins(template: PodTemplate) -> bool:
    """Whether the pods may meet those of another graph, which may be the other half."""
    entries = environment_entries(template, template.main)
    return (
        any(entry.get("name") == "DYN_NAMESPACE" for entry in entries)
        or _shares_a_namespace(template)
        or any(mentions(container, _OTHER_GRAPHS) for container in template.containers)
    )


def _has_pods(worker: Worker) -> bool:
    scaled_by = ("scalingAdapter", "autoscaling")
    return any(key in worker.template.described_by for key in scaled_by) or worker.template.replicas > 0


def _shares_a_namespace(template: PodTemplate) -> bool:
    """Whether the operator may put the pods into a Dynamo namespace that another graph has too."""
    if field(template.described_by, "globalDynamoNamespace"):
        return True
    lines = known_lines(template.main, template)
    is_ignored = bool(lines) and min(lines) >= _OLD_NAMESPACE_IGNORED_SINCE
    return bool(field(template.described_by, "dynamoNamespace")) and not is_ignored


@rule(
    WORKERS,
    severity=Severity.MANDATORY,
    reason=(
        "TensorRT-LLM has no transceiver unless its backend is named, and refuses a name that is not written "
        "in upper case; dynamo.vllm refuses to be a prefill worker without a connector from 1.0 on, while "
        "older ones took NIXL by themselves."
    ),
    source=(
        "NVIDIA/TensorRT-LLM tensorrt_llm/llmapi/llm_args.py (CacheTransceiverConfig) at 21a5a51; ai-dynamo "
        "0.5.1, 0.6.1, 0.9.1, 1.0.2, 1.2.1, 1.4.2 and 1.6.1 from PyPI, dynamo/vllm/args.py"
    ),
    lines=("TensorRT-LLM 1.3.0rc14", "Dynamo 0.5 to 1.6"),
    fix=(
        "TensorRT-LLM: cache_transceiver_config.backend DEFAULT, UCX or NIXL in the engine file of both. "
        'vLLM: --kv-transfer-config \'{"kv_connector":"NixlConnector","kv_role":"kv_both"}\' on both.'
    ),
)
def cache_transceiver_configured(graph: ResourceGraph, worker: Worker) -> Iterator[str]:
    """Nothing is configured to hand KV cache over."""
    role = read_role(worker)
    if role == "aggregated":
        return
    if is_tensorrt_llm(worker):
        yield from _without_transceiver(graph, worker, role)
    elif is_vllm(worker) and role == "prefill" and _lacks_connector(graph, worker):
        # A decode worker without it does all the work itself, and starts.
        yield f"is a prefill worker without {KV_TRANSFER_CONFIG}, so it ends at start"


def _without_transceiver(graph: ResourceGraph, worker: Worker, role: Role) -> Iterator[str]:
    written = transceiver_backend(read_settings(graph, worker))
    if written is not None and written.value in TRANSCEIVER_BACKENDS:
        return
    message = f"is a {role} worker without {TRANSCEIVER_SETTING}, so its engine transfers no KV cache"
    if written is not None:
        message = (
            f"has {TRANSCEIVER_SETTING} {written.value!r} ({written.source}), which is not one of "
            f"{', '.join(TRANSCEIVER_BACKENDS)}, in upper case: its engine ends at start"
        )
    if not by_line(lambda line: line >= READ_SINCE, worker.container, worker.template):
        since = ".".join(map(str, READ_SINCE))
        raise Undecided(f"{message}; that was read in {since}, and its image is older")
    yield message


def _lacks_connector(graph: ResourceGraph, worker: Worker) -> bool:
    if read_settings(graph, worker).mapping(KV_TRANSFER) is not None:
        return False
    # Only releases that have no connector by default can be told their role in these ways.
    names_a_mode = any(
        command.flags.value(MODE_FLAG) is not None or MODE_VARIABLES[DYNAMO_VLLM] in command.environment
        for command in worker.commands
    )
    return names_a_mode or not connects_by_itself(worker)
