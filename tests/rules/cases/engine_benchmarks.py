"""What a benchmark sends, and what its target takes."""

import json

from tests.rules.case import On
from tests.rules.edits import Edit, document, drop, engine_file, text

RULE = "benchmark-within-engine"

DISAGG = "gpt-oss-120b-disagg-bench"
AGG = "gpt-oss-120b-bench"


def _flag(job: str, old: str, new: str) -> Edit:
    return text(f"Job/{job}", "spec.template.spec.containers[0].args[0]", old, new)


_PLAIN = "load"


def _job(command: str) -> Edit:
    """A Job that measures with one command."""
    return document(f"""
apiVersion: batch/v1
kind: Job
metadata: {{name: {_PLAIN}, namespace: gpt-oss}}
spec: {{template: {{spec: {{containers: [{{name: load, command: {json.dumps(command.split())}}}]}}}}}}
""")


CASES = (
    On(RULE, "disagg-b200", DISAGG).is_undecided(
        "another address than the graph's",
        "what answers at http://somewhere-else:8000 is not part of what was read",
        _flag(DISAGG, "gpt-oss-disagg-frontend:8000 ", "somewhere-else:8000 "),
    ),
    On(RULE, "vllm-agg", _PLAIN).fails(
        "more requests than eight vLLM replicas take",
        "take 2048 at once: 256 (--max-num-seqs) x 8 replicas of VllmWorker",
        _job("aiperf profile --url gpt-oss-vllm-frontend:8000 --concurrency 2049"),
    ),
    On(RULE, "vllm-agg", _PLAIN).is_undecided(
        "a vLLM that says nothing of its sequences",
        "VllmWorker has no --max-num-seqs",
        drop("DynamoGraphDeployment", "spec.components[1].podTemplate.spec.containers[0].args[5]"),
        _job("aiperf profile --url gpt-oss-vllm-frontend:8000 --concurrency 100"),
    ),
    On(RULE, "trtllm-serve", _PLAIN).fails(
        "a prompt that is longer than one step without chunks",
        ("sends 9000 tokens (--isl)", "at most max_num_tokens, 8192 (--max_num_tokens)"),
        engine_file("max_throughput.yaml", "max_seq_len", remove=True),
        _job("genai-perf profile -u http://trtllm-serve:8000 --isl 9000 --osl 10"),
    ),
    On(RULE, "vllm-agg", _PLAIN).fails(
        "more tokens than vLLM takes",
        "together 132000, but VllmWorker takes 131072 (--max-model-len)",
        _job("aiperf profile --url gpt-oss-vllm-frontend:8000 --isl 131000 --osl 1000"),
    ),
    On(RULE, "agg-gb200", AGG).fails(
        "a name that nobody serves",
        "asks for the model gpt-oss-120b (--model), but gpt-oss-agg serves openai/gpt-oss-120b",
        _flag(AGG, "--model openai/", "--model "),
    ),
)
