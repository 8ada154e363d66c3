"""Which way the KV cache really takes from prefill to decode, by the workers' logs and metrics.

The lines are those of NIXL, UCX and TensorRT-LLM as their sources print them (facts of 2026-11-24:
NVIDIA/TensorRT-LLM nixl_utils, UCX_PROTO_INFO). None of them names a rate; the counters of vLLM do.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from components.dynamo_objects import GRAPH_NAME
from failures.explanation import without_colours
from hardware import KvTransportName, tcp_range
from operations.doctor.finding import Finding, KvProof, Stage
from operations.doctor.view import View
from recipes.model import Recipe

# Part of a line -> the transports that it proves.
_PROVES: tuple[tuple[str, frozenset[KvTransportName]], ...] = (
    (r"using NIXL backend: LIBFABRIC|Backend LIBFABRIC was instantiated|srd/rdmap", frozenset({"efa"})),
    (r"rc_mlx5/mlx5_|dc_mlx5/mlx5_", frozenset({"rdma"})),
    (r"cuda_ipc/cuda", frozenset({"nvlink", "mnnvl"})),
    (r"mUseFabricMemory:1", frozenset({"mnnvl"})),
    (r"tcp/\w+|software emulation \| tcp|no RDMA transports available", frozenset({"tcp"})),
)
# Part of a line -> the transports that it rules out.
_RULES_OUT: tuple[tuple[str, frozenset[KvTransportName]], ...] = (
    (r"fallback to UCX|Failed to create NIXL backend: LIBFABRIC", frozenset({"efa"})),
    (r"setting imex channel may be required|does not have fabric property", frozenset({"mnnvl"})),
)
_VALUES = re.compile(r"^vllm:(\w+)(?:\{[^}]*\})? ([\d.e+-]+)$", re.MULTILINE)
_FAILURES = ("failed_transfers", "failed_notifications", "kv_expired_reqs")
_LOG_LINES = "--tail=4000"
_SHOWN = 3
_SYSTEM_PORT = 9090
"""Where a worker of Dynamo shows its metrics."""
_ASK_MORE = (
    "no line of a worker names it; TLLM_LOG_LEVEL=INFO, or UCX_LOG_LEVEL=info and UCX_PROTO_INFO=y, makes "
    "the workers say it"
)


Transfers = Mapping[str, float]
"""What a decode worker of vLLM has counted since it started, by the names of its metrics."""


def counted(view: View) -> Mapping[str, Transfers]:
    """Return what each decode worker has counted: its pod -> its counters."""
    pods = [str(pod["metadata"]["name"]) for pod in view.of_role("decode")]
    return {pod: _transfers(view.cluster.page(_metrics_path(view, pod))) for pod in pods}


def kv_proof(view: View, transfers: Sequence[Transfers], *, is_mock: bool | None) -> KvProof:
    """Return what the workers' logs and counters prove of the transport that the stack decided."""
    asked = view.asked
    decided: str = asked.kv_path.transport if asked.kv_path else ""
    if asked.roles == ("worker",):
        return KvProof(decided="", verdict="does-not-apply", found="the KV cache never leaves its worker")
    if is_mock:
        found = "a mock engine serves, which hands over no KV cache: nothing real can be proven"
        return KvProof(decided=decided, verdict="not-proven", found=found)
    if alone := sum(map(_missed, transfers)):
        found = (
            f"decode workers gave {alone:.0f} answers and count no KV transfer: they filled the cache alone"
        )
        return KvProof(decided=decided, verdict="contradicted", found=found)
    rate = _rate(asked.placed.recipe, transfers) if decided and asked.placed else ""
    return judge_lines(_worker_lines(view), decided, rate)


def judge_lines(lines: Iterable[str], decided: str, rate: str = "") -> KvProof:
    """Return what workers' logs prove.

    Args:
        lines: of the logs.
        decided: the transport; empty where nobody decided.
        rate: what the workers' counters add.

    """
    lines = [" ".join(without_colours(line).split()) for line in lines]
    proven, evidence = _matched(lines, _PROVES)
    ruled_out, refutation = _matched(lines, _RULES_OUT)
    verdict, found = "not-proven", f"{_ASK_MORE}{rate}"
    if not lines:
        found = "no worker has a log"
    elif not decided and proven:
        verdict, found = "proven", f"the workers' logs show {' or '.join(sorted(proven))}"
    elif decided in ruled_out:
        verdict, found, evidence = (
            "contradicted",
            f"the workers say that they cannot use {decided}",
            refutation,
        )
    elif decided and decided != "tcp" and "tcp" in proven:
        verdict = "contradicted"
        found = f"{decided} was decided, and a worker's KV cache goes over plain TCP"
    elif decided in proven:
        verdict, found = "proven", f"the workers use {decided}{rate}"
    shown = tuple(dict.fromkeys(evidence))[:_SHOWN]
    return KvProof(decided=decided, verdict=verdict, found=found, evidence=shown)


def transfer_findings(view: View, proof: KvProof, transfers: Mapping[str, Transfers]) -> Iterator[Finding]:
    """Return a transport that is not the one that was decided, and transfers that fail."""
    served = view.served
    pods = ("--namespace", served.namespace, "--selector", f"{GRAPH_NAME}={served.graph}")
    found = Finding(
        stage=Stage.TRANSFER,
        about="transfer",
        what=proof.found,
        evidence=proof.evidence,
        setting="serving.kvTransport",
        command=view.cluster.command("logs", *pods, "--all-containers", "--prefix", _LOG_LINES),
        page="kv-path",
    )
    if proof.verdict == "contradicted":
        yield found
    for name, worker in transfers.items():
        for what in _FAILURES:
            if count := worker.get(f"nixl_num_{what}_total"):
                told = f"pod {name} counts {count:.0f} {what.replace('_', ' ')} of NIXL"
                command = view.cluster.command("get", "--raw", _metrics_path(view, name))
                yield found.model_copy(update={"what": told, "evidence": (), "command": command})


def _transfers(page: str) -> Transfers:
    """Return the counters of a worker's metrics; those of several engines in a worker are added up."""
    values: dict[str, float] = {}
    for name, value in _VALUES.findall(page):
        values[name] = values.get(name, 0.0) + float(value)
    return values


def _handed_over(worker: Transfers) -> tuple[float, float] | None:
    """Return megabytes of one transfer and MB/s; None where there was none, or nobody counts."""
    count = worker.get("nixl_bytes_transferred_count")
    moved = worker.get("nixl_bytes_transferred_sum", 0) / 1e6
    seconds = worker.get("nixl_xfer_time_seconds_sum")
    return (moved / count, moved / seconds) if count and moved and seconds else None


def _missed(worker: Transfers) -> float:
    """Return the answers of a worker that counts transfers and has had none."""
    return worker.get("request_success_total", 0) * (worker.get("nixl_bytes_transferred_count") == 0)


def _metrics_path(view: View, pod: str) -> str:
    return f"/api/v1/namespaces/{view.served.namespace}/pods/{pod}:{_SYSTEM_PORT}/proxy/metrics"


def _worker_lines(view: View) -> Iterator[str]:
    for role in ("prefill", "decode"):
        for pod in view.of_role(role)[:1]:
            where = ("--namespace", view.served.namespace, "--all-containers", _LOG_LINES)
            yield from view.cluster.log(pod["metadata"]["name"], *where).splitlines()


def _matched(
    lines: Sequence[str], signs: Iterable[tuple[str, frozenset[KvTransportName]]]
) -> tuple[set[KvTransportName], list[str]]:
    transports: set[KvTransportName] = set()
    found: list[str] = []
    for sign, names in signs:
        pattern = re.compile(sign)
        if line := next((each for each in reversed(lines) if pattern.search(each)), None):
            transports |= names
            found.append(line)
    return transports, found


def _rate(recipe: Recipe, transfers: Sequence[Transfers]) -> str:
    """What vLLM's own counters add: the tokens of a transfer, and whether plain TCP could be as fast."""
    handed_over = next((found for each in transfers if (found := _handed_over(each))), None)
    if handed_over is None:
        return ""
    megabytes, rate = handed_over
    tokens = megabytes * 1e6 / recipe.kv_bytes_per_token
    fastest, _ = tcp_range(int(megabytes * 1e6))
    beyond = "faster than plain TCP" if megabytes / rate < fastest else "which plain TCP could be too"
    return f"; {tokens:,.0f} tokens of KV cache a transfer, at {rate:,.0f} MB/s, {beyond}"
