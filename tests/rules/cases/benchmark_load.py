"""What a benchmark sends, and what its target takes."""

import json

from tests.rules.case import TWO_GB200, Case, failed, undecided
from tests.rules.edits import Edit, add, document, drop, engine_file, put, text

MATCHES = "benchmark-matches-deployment"
CONCURRENCY = "benchmark-concurrency-within-engine"
LENGTHS = "benchmark-lengths-fit"

DISAGG = "gpt-oss-120b-disagg-bench"
AGG = "gpt-oss-120b-bench"
_SCRIPT = "spec.template.spec.containers[0].args[0]"
_ENV = "spec.template.spec.containers[0].env"


def _flag(job: str, old: str, new: str) -> Edit:
    return text(f"Job/{job}", _SCRIPT, old, new)


def _says(job: str, **variables: str) -> tuple[Edit, ...]:
    return tuple(add(f"Job/{job}", _ENV, {"name": name, "value": value}) for name, value in variables.items())


_PLAIN = "load"


def _job(command: str) -> Edit:
    """A Job that measures with one command, on nodes without GPUs."""
    return document(f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: {_PLAIN}, namespace: gpt-oss}}
spec:
  backoffLimit: 1
  activeDeadlineSeconds: 3600
  template:
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      nodeSelector: {{node-role: load}}
      securityContext: {{runAsNonRoot: true, runAsUser: 1000, seccompProfile: {{type: RuntimeDefault}}}}
      containers:
        - name: load
          image: registry.example/load:1.0.0
          command: {json.dumps(command.split())}
          resources:
            requests: {{cpu: "4", memory: 8Gi}}
            limits: {{memory: 8Gi}}
          securityContext: {{allowPrivilegeEscalation: false, capabilities: {{drop: [ALL]}}}}
""")


CASES = (
    Case(
        CONCURRENCY,
        "more than the KV cache holds of such prompts, of which a batch would take 800 a rank",
        "agg-gb200",
        (_flag(AGG, "--synthetic-input-tokens-mean 128", "--synthetic-input-tokens-mean 8000"),),
        failed(CONCURRENCY, AGG),
        ("x 4 attention-DP ranks", "an estimate of what the KV cache holds of 9,000 tokens each"),
    ),
    Case(
        MATCHES,
        "another number of GPUs than the graph has",
        "disagg-b200",
        _says(DISAGG, DEPLOYMENT_GPU_COUNT="6"),
        failed(MATCHES, DISAGG),
        ("counts 6 GPUs (DEPLOYMENT_GPU_COUNT)", "has 5: 4 of TrtllmDecodeWorker + 1 of TrtllmPrefillWorker"),
    ),
    Case(
        MATCHES,
        "the number of GPUs that the graph has",
        "disagg-b200",
        _says(DISAGG, DEPLOYMENT_GPU_COUNT="5", CONCURRENCY_PER_GPU="256", DEPLOYMENT_MODE="disagg"),
        frozenset(),
    ),
    Case(
        MATCHES,
        "replicas that the number of GPUs leaves out",
        "agg-gb200",
        (
            put("DynamoGraphDeployment", "spec.services.TrtllmWorker.replicas", 2),
            *_says(AGG, DEPLOYMENT_GPU_COUNT="4", CONCURRENCY_PER_GPU="800"),
        ),
        failed(MATCHES, AGG),
        ("has 8: 8 of TrtllmWorker", "make 3200 at once instead of 6400"),
        pools=TWO_GB200,
    ),
    Case(
        MATCHES,
        "another concurrency than its own product",
        "disagg-b200",
        _says(DISAGG, DEPLOYMENT_GPU_COUNT="5", CONCURRENCY_PER_GPU="200"),
        failed(MATCHES, DISAGG),
        ("keeps 1280 requests open (--concurrency)", "200 for each of 5 GPUs", "which is 1000"),
    ),
    Case(
        MATCHES,
        "a disaggregated target that is called aggregated",
        "disagg-b200",
        _says(DISAGG, DEPLOYMENT_MODE="agg"),
        failed(MATCHES, DISAGG),
        ("calls its target agg (DEPLOYMENT_MODE)", "gpt-oss-disagg has prefill workers"),
    ),
    Case(
        MATCHES,
        "an aggregated target that is called disaggregated",
        "agg-gb200",
        _says(AGG, DEPLOYMENT_MODE="disagg"),
        failed(MATCHES, AGG),
        ("gpt-oss-agg has no prefill workers",),
    ),
    Case(
        MATCHES,
        "a number of GPUs that a Secret holds",
        "disagg-b200",
        (
            add(
                f"Job/{DISAGG}",
                _ENV,
                {"name": "DEPLOYMENT_GPU_COUNT", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
            ),
        ),
        undecided(MATCHES, DISAGG),
        ("the value of the variable DEPLOYMENT_GPU_COUNT is unknown",),
    ),
    Case(
        CONCURRENCY,
        "more requests than decode takes",
        "disagg-b200",
        (_flag(DISAGG, "--concurrency 1280", "--concurrency 1536"),),
        failed(CONCURRENCY, DISAGG),
        ("keeps 1536 requests open", "take 1280 at once", "decode.yaml of ConfigMap"),
    ),
    Case(
        CONCURRENCY,
        "more requests than four attention-DP ranks take",
        "agg-gb200",
        (_flag(AGG, "--concurrency 3200", "--concurrency 3600"),),
        failed(CONCURRENCY, AGG),
        ("take 3200 at once", "800 (max_batch_size", "x 4 attention-DP ranks of TrtllmWorker"),
    ),
    Case(
        CONCURRENCY,
        "attention without data parallelism has one batch for all ranks",
        "agg-gb200",
        (engine_file("worker.yaml", "enable_attention_dp", value=False),),
        failed(CONCURRENCY, AGG),
        ("keeps 3200 requests open", "take 800 at once"),
    ),
    Case(
        CONCURRENCY,
        "another address than the graph's",
        "disagg-b200",
        (_flag(DISAGG, "gpt-oss-disagg-frontend:8000 ", "somewhere-else:8000 "),),
        undecided(CONCURRENCY, DISAGG),
        ("what answers at http://somewhere-else:8000 is not part of what was read",),
    ),
    Case(
        CONCURRENCY,
        "as many requests as eight vLLM replicas take",
        "vllm-agg",
        (_job("aiperf profile --url gpt-oss-vllm-frontend:8000 --concurrency 2048"),),
        frozenset(),
    ),
    Case(
        CONCURRENCY,
        "more requests than eight vLLM replicas take",
        "vllm-agg",
        (_job("aiperf profile --url gpt-oss-vllm-frontend:8000 --concurrency 2049"),),
        failed(CONCURRENCY, _PLAIN),
        ("take 2048 at once: 256 (--max-num-seqs) x 8 replicas of VllmWorker",),
    ),
    Case(
        CONCURRENCY,
        "a vLLM that says nothing of its sequences",
        "vllm-agg",
        (
            drop("DynamoGraphDeployment", "spec.components[1].podTemplate.spec.containers[0].args[5]"),
            _job("aiperf profile --url gpt-oss-vllm-frontend:8000 --concurrency 100"),
        ),
        undecided(CONCURRENCY, _PLAIN),
        ("VllmWorker has no --max-num-seqs",),
    ),
    Case(
        CONCURRENCY,
        "more requests than the engine behind a Service takes",
        "trtllm-serve",
        (_job("genai-perf profile -u http://trtllm-serve.gpt-oss.svc:8000 --concurrency 3000"),),
        failed(CONCURRENCY, _PLAIN),
        ("take 2560 at once: 640 (max_batch_size, --max_batch_size) x 4 attention-DP ranks of engine",),
    ),
    Case(
        LENGTHS,
        "an answer that exceeds what decode takes",
        "disagg-b200",
        (_flag(DISAGG, "--output-tokens-mean 1024", "--output-tokens-mean 3000"),),
        failed(LENGTHS, DISAGG),
        ("sends 8192 tokens", "wants 3000 back, together 11192", "TrtllmDecodeWorker takes 11000"),
    ),
    Case(
        LENGTHS,
        "a prompt that exceeds what prefill takes",
        "disagg-b200",
        (_flag(DISAGG, "--synthetic-input-tokens-mean 8192", "--isl 9000"),),
        failed(LENGTHS, DISAGG),
        ("sends 9000 tokens (--isl) and wants 1 back, together 9001", "TrtllmPrefillWorker takes 9000"),
    ),
    Case(
        LENGTHS,
        "a prompt that is longer than one step without chunks",
        "trtllm-serve",
        (
            engine_file("max_throughput.yaml", "max_seq_len", remove=True),
            _job("genai-perf profile -u http://trtllm-serve:8000 --isl 9000 --osl 10"),
        ),
        failed(LENGTHS, _PLAIN),
        ("sends 9000 tokens (--isl)", "at most max_num_tokens, 8192 (--max_num_tokens)"),
    ),
    Case(
        LENGTHS,
        "a prompt that is longer than one step, in chunks",
        "trtllm-serve",
        (
            engine_file("max_throughput.yaml", "max_seq_len", remove=True),
            engine_file("max_throughput.yaml", "enable_chunked_prefill", value=True),
            _job("genai-perf profile -u http://trtllm-serve:8000 --isl 9000 --osl 10"),
        ),
        frozenset(),
    ),
    Case(
        LENGTHS,
        "more tokens than vLLM takes",
        "vllm-agg",
        (_job("aiperf profile --url gpt-oss-vllm-frontend:8000 --isl 131000 --osl 1000"),),
        failed(LENGTHS, _PLAIN),
        ("together 132000, but VllmWorker takes 131072 (--max-model-len)",),
    ),
    Case(
        LENGTHS,
        "a prompt of unknown length",
        "disagg-b200",
        (_flag(DISAGG, "--synthetic-input-tokens-mean 8192", "--isl $LENGTH"),),
        undecided(LENGTHS, DISAGG),
        ("the value of --isl is unknown",),
    ),
)
