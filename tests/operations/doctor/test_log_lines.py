"""Lines of logs -> the fault that they are known for, and what they prove of the KV cache's way.

The lines are as their sources print them; no GPU of this project's has printed one.
"""

import pytest

from hardware import KvPath, Standing
from hardware.kv_transport import KvTransportName
from hardware.source import DYNAMO_TRANSPORT_GUIDE
from operations.doctor.finding import Signature, Stage, last_signed, signature_of, signatures
from operations.doctor.kv_path import judge_lines
from stacks.settings.stack import StackSettings
from tests.operations.doctor.recorded_cluster import RecordedCluster
from tests.support.runbook import pages

NIXL = "[TensorRT-LLM][INFO] NixlTransferAgent::NixlTransferAgent using NIXL backend: {}"
EFA = "UCX  INFO   rma_am(srd/rdmap16s27:1) am(srd/rdmap16s27:1)"
TCP = "UCX  INFO  cfg#2 tag(tcp/eth0)"
PROVEN, CONTRADICTED, NOT_PROVEN = "proven", "contradicted", "not-proven"


def _decided(transport: KvTransportName) -> KvPath:
    return KvPath(transport, Standing.DOCUMENTED, "", DYNAMO_TRANSPORT_GUIDE, 400.0, "")


@pytest.mark.parametrize(
    ("transport", "line", "verdict", "words"),
    [
        ("efa", NIXL.format("LIBFABRIC"), PROVEN, "the workers use efa"),
        ("efa", EFA, PROVEN, "the workers use efa"),
        ("efa", "Backend LIBFABRIC was instantiated", PROVEN, "the workers use efa"),
        ("rdma", "UCX  INFO  intra-node cfg#3 tag(rc_mlx5/mlx5_0:1)", PROVEN, "the workers use rdma"),
        ("nvlink", "UCX  INFO  | 0..inf | zero-copy | cuda_ipc/cuda |", PROVEN, "the workers use nvlink"),
        ("mnnvl", "[TensorRT-LLM][INFO] mUseFabricMemory:1", PROVEN, "the workers use mnnvl"),
        ("tcp", TCP, PROVEN, "the workers use tcp"),
        ("rdma", TCP, CONTRADICTED, "goes over plain TCP"),
        ("efa", "| 0..inf | software emulation | tcp/eth0 |", CONTRADICTED, "goes over plain TCP"),
        ("nvlink", "no RDMA transports available", CONTRADICTED, "goes over plain TCP"),
        (
            "mnnvl",
            "[TensorRT-LLM][WARNING] Try to creat fabric memory failed , "
            "setting imex channel may be required",
            CONTRADICTED,
            "cannot use mnnvl",
        ),
        (
            "efa",
            "[TensorRT-LLM][WARNING] Unsupported NIXL backend: LIBFABRIC, fallback to UCX",
            CONTRADICTED,
            "cannot use efa",
        ),
        (
            "efa",
            "[TensorRT-LLM][ERROR] Failed to create NIXL backend: LIBFABRIC",
            CONTRADICTED,
            "cannot use efa",
        ),
        ("rdma", f"{NIXL.format('UCX')}\nUCX Connection Manager created", NOT_PROVEN, "TLLM_LOG_LEVEL=INFO"),
        # Of a graph that others deployed it says what the logs show.
        (None, EFA, PROVEN, "the workers' logs show efa"),
    ],
)
def test_lines_of_logs_prove_the_transport_that_was_decided_or_contradict_it(
    transport: KvTransportName | None, line: str, verdict: str, words: str
) -> None:
    lines = ["starting", *(f"\x1b[32m{each}\x1b[0m" for each in line.splitlines()), "ready"]
    found = judge_lines(lines, transport or "")
    assert (found.verdict, words in found.found) == (verdict, True)
    if verdict == PROVEN:
        assert found.evidence == tuple(" ".join(each.split()) for each in line.splitlines())


def test_silent_tcp_is_the_cause_of_a_late_first_token() -> None:
    cluster = RecordedCluster(logs={"decode": "UCX  INFO  cfg#2 tag(tcp/eth0)\n"})
    found = cluster.diagnosis(kv=_decided("rdma"))
    assert found.headline() == (
        "stack dev is sick: rdma was decided, and a worker's KV cache goes over plain TCP"
    )
    assert (found.causes[0].page, found.causes[0].setting) == ("kv-path", "serving.kvTransport")


def test_transfers_that_fail_are_counted_from_the_decode_workers_metrics() -> None:
    metrics = (
        'vllm:nixl_num_failed_transfers_total{engine="0"} 4.0\nvllm:nixl_num_kv_expired_reqs_total 0.0\n'
    )
    found = RecordedCluster(metrics=metrics).diagnosis(kv=_decided("efa"))
    assert "counts 4 failed transfers of NIXL" in found.headline()


def _counters(transfers: int, answers: int, rate: float = 24e9) -> str:
    moved, seconds = transfers * 302e6, transfers * 302e6 / rate
    return "\n".join(
        (
            f'vllm:nixl_bytes_transferred_count{{engine="0"}} {transfers}',
            f'vllm:nixl_bytes_transferred_sum{{engine="0"}} {moved}',
            f'vllm:nixl_xfer_time_seconds_sum{{engine="0"}} {seconds}',
            f'vllm:request_success_total{{engine="0",finished_reason="stop"}} {answers}',
            'vllm:request_success_total{engine="0",finished_reason="length"} 0.0',
        )
    )


@pytest.mark.parametrize(
    ("rate", "said"),
    [(24e9, "24,000 MB/s, faster than plain TCP"), (1.5e9, "1,500 MB/s, which plain TCP could be too")],
)
def test_the_counters_of_a_decode_worker_say_how_long_prompts_were_and_how_fast_they_came(
    rate: float, said: str
) -> None:
    cluster = RecordedCluster(metrics=_counters(3, 3, rate), logs={"decode": f"{EFA}\n"})
    found = cluster.diagnosis(kv=_decided("efa")).kv_path
    assert found.verdict == "proven"
    assert found.found == f"the workers use efa; 8,192 tokens of KV cache a transfer, at {said}"


def test_answers_without_a_transfer_were_served_by_the_decode_worker_alone() -> None:
    found = RecordedCluster(metrics=_counters(0, 12)).diagnosis(kv=_decided("efa"))
    assert found.headline().endswith(
        "decode workers gave 12 answers and count no KV transfer: they filled the cache alone"
    )
    assert RecordedCluster(metrics=_counters(0, 0)).diagnosis(kv=_decided("efa")).healthy


# Words as they were published -> part of what they mean.
PUBLISHED = {
    "Failed to pull image: no match for platform in manifest: not found": "Grace is arm64",
    "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=13.0": "newer NVIDIA driver",
    "0/3 nodes are available: 3 Insufficient vpc.amazonaws.com/efa.": "EFA devices",
    "channel 0 already allocated by claim gpt-oss/worker-1": "a node has one",
    "UnexpectedAdmissionError: Allocate failed due to device plugin GetPreferredAllocation": "unhealthy",
    "RuntimeError: Error 802: system not yet initialized": "Fabric Manager",
    "MountVolume.MountDevice failed: mount.lustre: Is the MGS running?": "does not reach the Lustre",
    'waiting, CreateContainerConfigError secret "hf-token" not found': "a Secret or a ConfigMap",
    'main waiting; FailedMount: configmap "engine-1" not found': "that it mounts is not there",
    "Failed to connect to NATS: IO error: Temporary failure in name resolution": "the cluster's DNS",
    "error downloading or loading vocab file: Temporary failure in name resolution": "no vocabulary",
    'FailedMount: MountVolume.SetUp failed for volume "e" : secret "s" not found': "it mounts is not there",
    'FailedMount: rpc error: secret "kube-system/s" not found': "its volume is not mounted yet",
    "Free memory on device is less than desired GPU memory utilization": "another process",
    "pydantic: kv_cach_config Extra inputs are not permitted": "does not know a key",
    "Impossible to fit in any sequence in kvCache": "no memory is left for the KV cache",
    "NCCL WARN MNNVL (cliqueSize 8) is available but not working on this system": "no IMEX channel",
    "Handshake failed for request cmpl-1": "NIXL does not hand the KV cache over",
}


@pytest.mark.parametrize(("words", "means"), PUBLISHED.items())
def test_published_words_are_known(words: str, means: str) -> None:
    found = signature_of(words)
    assert found is not None
    assert means in found.means


def test_words_that_nobody_knows_stay_unexplained() -> None:
    assert signature_of("main waiting, ContainerCreating") is None


@pytest.mark.parametrize("row", signatures(), ids=lambda row: row.sign.pattern)
def test_a_row_names_a_page_that_exists_and_a_setting_that_can_be_typed(row: Signature) -> None:
    assert row.page in pages()
    head, _, rest = row.setting.partition(".")
    if head == "hfToken":
        return
    fields = {field.alias or name: field for name, field in StackSettings.model_fields.items()}
    assert head in fields
    model = fields[head].annotation
    assert not rest or rest in {field.alias or name for name, field in model.model_fields.items()}  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]


def test_a_log_is_read_from_its_end_and_what_a_ready_pod_has_left_behind_is_no_fault() -> None:
    log = ["Failed to connect to NATS", "NIXL_ERR_BACKEND", "request done"]
    signed = last_signed(log, Stage.REGISTRATION)
    assert signed is not None
    assert signed[1] == "NIXL_ERR_BACKEND"
    assert last_signed(log[:1], Stage.REGISTRATION) is None
