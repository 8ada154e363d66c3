"""What is read of a benchmark's script, and of the one that it measures."""

from pathlib import Path

import pytest
import yaml

from engines.command_line import Flags
from recipes.benchmark_job import benchmark_job
from resource_graph import Resource, ResourceGraph
from rules.reading.benchmarks import CONCURRENCY, Benchmark, read_benchmarks, read_target
from rules.reading.pods.pods import Unreadable
from rules.reading.shapes import Undecided
from tests.rules.case import RULE, judge_graph
from tests.rules.judging import in_file
from tests.support.recordings import recorded_stack
from tests.support.shipped_stacks import served_stack

STACKS = ("agg-b200", "disagg-b200", "disagg-gb200-two-trays", "latency-b200", "vllm-disagg-h100")


def _graph(folder: Path, script: str, env: dict[str, str] | None = None, *others: str) -> ResourceGraph:
    variables = [{"name": name, "value": value} for name, value in (env or {}).items()]
    container = {"name": "load", "command": ["sh", "-c", script], "env": variables}
    spec = {"template": {"spec": {"containers": [container]}}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "load"}, "spec": spec}
    return in_file(folder, "\n---\n".join([yaml.safe_dump(job), *others]))


def _runs(folder: Path, script: str, env: dict[str, str] | None = None) -> tuple[Flags, ...]:
    (benchmark,) = read_benchmarks(_graph(folder, script, env))
    assert isinstance(benchmark, Benchmark)
    return benchmark.runs


@pytest.mark.parametrize(
    ("script", "loads"),
    [
        ("aiperf profile --concurrency 8", [8]),
        ("exec python3 -m aiperf profile --concurrency 8", [8]),
        ("genai-perf profile -m gpt --concurrency 8", [8]),
        ("aiperf profile --request-rate 5", [None]),
        ("aiperf profile --concurrency ${UNSET:-9}", [9]),
        ("aiperf profile --concurrency $((LOAD * 3))", [21]),
        ("aiperf profile --concurrency $(($LOAD*${LOAD}))", [49]),
        ("aiperf profile \\\n  --concurrency 1\naiperf profile --concurrency 64", [1, 64]),
    ],
)
def test_the_load_is_read_however_it_is_written(tmp_path: Path, script: str, loads: list[int | None]) -> None:
    found = [run.count(*CONCURRENCY) for run in _runs(tmp_path, script, {"LOAD": "7"})]
    assert [None if load is None else load.value for load in found] == loads


@pytest.mark.parametrize(
    "script",
    ["aiperf profile --concurrency $(nproc)", "aiperf profile --concurrency many", "aiperf profile $OPTIONS"],
)
def test_a_load_that_only_the_run_knows_is_undecided(tmp_path: Path, script: str) -> None:
    (run,) = _runs(tmp_path, script)
    with pytest.raises(Undecided):
        _ = run.count(*CONCURRENCY)


@pytest.mark.parametrize(
    "script",
    ["pip install aiperf==0.13.0 && sleep 60", "aiperf --version", "echo aiperf", "python3 train.py"],
)
def test_what_measures_nothing_is_no_benchmark(tmp_path: Path, script: str) -> None:
    assert read_benchmarks(_graph(tmp_path, script)) == ()


def test_a_script_that_cannot_be_followed_says_so(tmp_path: Path) -> None:
    (found,) = read_benchmarks(_graph(tmp_path, "eval $COMMAND\naiperf profile --concurrency 1"))
    assert isinstance(found, Unreadable)
    assert "eval" in found.reason


_SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: server}
spec: {selector: {app: server}}
"""
_POD = """
apiVersion: v1
kind: Pod
metadata: {name: server, labels: {app: server}}
spec:
  containers:
    - name: engine
      command: [vllm, serve, model]
      resources: {limits: {nvidia.com/gpu: 2}}
"""


@pytest.mark.parametrize(
    ("url", "others", "reason"),
    [
        ("server:8000", (_SERVICE, _POD), None),
        ("http://server.default.svc.cluster.local:8000/v1", (_SERVICE, _POD), None),
        ("http://server", (_POD,), "not part of what was read"),
        ("http://server", (_SERVICE,), "which workers serve"),
        ("$URL", (_SERVICE, _POD), "the value of --url is unknown"),
    ],
)
def test_the_target_is_what_answers_at_the_address(
    tmp_path: Path, url: str, others: tuple[str, ...], reason: str | None
) -> None:
    graph = _graph(tmp_path, f"aiperf profile --url {url}", None, *others)
    (benchmark,) = read_benchmarks(graph)
    assert isinstance(benchmark, Benchmark)
    if reason is None:
        _, workers = read_target(graph, benchmark, benchmark.runs[0])
        assert [(worker.name, worker.gpus_per_pod) for worker in workers] == [("engine", 2)]
    else:
        with pytest.raises(Undecided, match=reason):
            read_target(graph, benchmark, benchmark.runs[0])


@pytest.mark.parametrize("name", STACKS)
def test_no_shipped_stack_is_measured_with_requests_that_wait_for_a_place_or_for_memory(name: str) -> None:
    stack = served_stack(name)
    content = benchmark_job(stack.serving.placed)
    job = Resource(urn="job", type="kubernetes:batch/v1:Job", name="job", inputs=content)
    report = judge_graph(ResourceGraph([*recorded_stack(stack), job]), RULE["benchmark-within-engine"])
    assert [finding.observation.message for finding in report.findings] == []
