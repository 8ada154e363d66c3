"""The commands of NVIDIA's recipe page and guides of the model, typed as printed, on our rendered files."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lab.environment import CONTEXT
from tests.conftest import copy_project
from tests.serving import seed_commands as seed
from tests.serving.conftest import BroughtUp
from tests.serving.terminal import Terminal
from tests.serving_stacks.pods import pods_of
from tests.support.lab_stack import LabStack
from tests.support.sandbox import Sandbox
from tests.support.shipped_stacks import SETTINGS, served_settings
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]
# From the namespace to an answer, one target's commands are typed with every change.
MEASURED = pytest.mark.measured

MODEL, NAMESPACE = "openai/gpt-oss-120b", "your-namespace"
GRAPHS = "dynamographdeployments.nvidia.com"
STACKS = {"agg": "agg-gb200", "disagg": "disagg-gb200-two-trays"}
GRAPH_OF = {"agg": "gpt-oss-agg", "disagg": "gpt-oss-disagg"}
ROLES = {
    "agg": {("tensorrt_llm", "generate")},
    "disagg": {("tensorrt_llm", "generate"), ("prefill", "generate")},
}
READY_SECONDS = 90.0
# Installing AIPerf takes 31 to 79 s on two cores, where it is missing; its start and prompts as long again.
BENCHMARK_SECONDS = 300.0


@dataclass(frozen=True)
class Reader:
    """Somebody who has the publisher's page open, and a folder with our files where the publisher's are."""

    terminal: Terminal
    said: dict[str, str]
    """What each command of the preparation printed."""
    stacks: dict[str, LabStack]

    @property
    def lab(self) -> Sandbox:
        return self.terminal.lab


@dataclass(frozen=True)
class Deployed:
    """One target that serves."""

    reader: Reader
    target: str

    def ask(self, command: str) -> Any:
        """Type a curl beside the page's own port-forward, and return the answer's JSON."""
        with self.reader.terminal.typed(seed.RECIPE_FORWARDS[self.target]) as screen:
            screen.until("Forwarding from 127.0.0.1:8000 -> 8000", 20)
            return json.loads(self.reader.terminal.type(command))


def _platform_alone(settings: dict[str, Any]) -> None:
    """The page's prerequisite: a cluster with the Dynamo platform installed."""
    settings["layers"] = ["platform"]


def _stack(lab: Sandbox, folder: Path, name: str) -> LabStack:
    """A stack in the page's namespace, which the page's reader makes, on the platform that is there."""
    stack = LabStack(lab, copy_project(folder), name)
    content = stack.settings()
    settings = content["config"][SETTINGS] = served_settings(name, CONTEXT)
    settings["platform"] = {"kind": "existing", "version": "1.2.1", "namespace": "dynamo-system"}
    settings["serving"]["namespace"] = {"kind": "existing", "name": NAMESPACE}
    stack.write_settings(content)
    lab.pulumi("stack", "init", name, cwd=stack.project)
    # The page's reader has one, so the download reads the page's Secret.
    stack.pulumi("config", "set", "--secret", "dynamo-stack:hfToken", "your-token")
    return stack


def _render(stack: LabStack, recipes: Path, target: str) -> None:
    """Put our files where the page's commands look: cache, graph with what it needs, and benchmark."""
    rendered = stack.project / "rendered"
    stack.dynamo_stack("render", stack.name, "--to", str(rendered))
    cache, folder = recipes / "model-cache", recipes / "trtllm" / target
    cache.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True)
    deploy: list[str] = []
    for file in sorted(rendered.glob("[0-9]*.yaml")):
        if re.search("persistentvolumeclaim|job", file.name):
            # Both targets share it, and render the same.
            (cache / file.name).write_text(file.read_text())
        else:
            deploy.append(file.read_text())
    (folder / "deploy.yaml").write_text("---\n".join(deploy))
    (folder / "perf.yaml").write_text(stack.dynamo_stack("render", stack.name, "--benchmark").stdout)


@pytest.fixture(scope="module")
def reader(brought_up: BroughtUp, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    folder = tmp_path_factory.mktemp("reader")
    lab = brought_up("disagg-b200-tcp", _platform_alone).lab
    stacks = {target: _stack(lab, folder / name, name) for target, name in STACKS.items()}
    for target, stack in stacks.items():
        _render(stack, folder / "gpt-oss-120b", target)
    terminal = Terminal(lab, folder, seed.RECIPE_NAMESPACE)
    return Reader(terminal, {command: terminal.type(command) for command in seed.RECIPE_PREPARES}, stacks)


@pytest.fixture(scope="module", params=["agg", pytest.param("disagg", marks=pytest.mark.measured)])
def deployed(request: pytest.FixtureRequest, reader: Reader) -> Iterator[Deployed]:
    target = request.param
    graph = (GRAPHS, GRAPH_OF[target], "-n", NAMESPACE)
    reader.terminal.type(seed.RECIPE_DEPLOYS[target])
    try:
        if target in seed.RECIPE_WATCHES:
            with reader.terminal.typed(seed.RECIPE_WATCHES[target]) as screen:
                for role in ("frontend", "prefill", "decode"):
                    screen.until(rf"gpt-oss-disagg-\S*{role}\S* +1/1 +Running", READY_SECONDS)
        reader.lab.kubectl("wait", "--for=condition=Ready", *graph, "--timeout=90s")
        served = Deployed(reader, target)
        until(lambda: served.ask("curl http://localhost:8000/v1/models")["data"] != [], "the model", 60)
        yield served
    finally:
        reader.lab.kubectl("delete", *graph, "--timeout=60s", "--cascade=foreground")


def test_namespace_secret_and_cache_are_made_and_the_download_is_waited_for(reader: Reader) -> None:
    namespace, secret, cache, download = (reader.said[command] for command in seed.RECIPE_PREPARES)
    assert namespace == f"namespace/{NAMESPACE} created\n"
    assert secret == "secret/hf-token-secret created\n"
    assert "persistentvolumeclaim/model-cache created" in cache
    assert "job.batch/model-download created" in cache
    assert download == "job.batch/model-download condition met\n"
    job = reader.lab.get("job", "model-download", "-n", NAMESPACE)
    [container] = job["spec"]["template"]["spec"]["containers"]
    [token] = [each["valueFrom"] for each in container["env"] if each["name"] == "HF_TOKEN"]
    assert token["secretKeyRef"]["name"] == "hf-token-secret"


def test_the_smoke_test_of_the_page_is_answered_through_its_port_forward(deployed: Deployed) -> None:
    answer = deployed.ask(seed.RECIPE_ASKS)
    assert answer["model"] == MODEL
    assert answer["usage"]["completion_tokens"] == 64
    assert answer["choices"][0]["message"]["content"]


@MEASURED
def test_health_lists_the_endpoint_of_every_role_and_its_instance(deployed: Deployed) -> None:
    health = deployed.ask(seed.GUIDE_LOOKS)
    assert health["status"] == "healthy"
    listed = {tuple(each.rsplit(".", 2)[1:]) for each in health["endpoints"]}
    assert {each for each in listed if each[1] == "generate"} == ROLES[deployed.target]
    instances = {(each["component"], each["endpoint"]) for each in health["instances"]}
    assert instances == listed
    # All of them in one generation of workers, or no request could go from one to the other.
    assert len({each["namespace"] for each in health["instances"]}) == 1


@MEASURED
def test_the_responses_api_answers_with_text(deployed: Deployed) -> None:
    answer = deployed.ask(seed.GUIDE_ASKS)
    [output] = answer["output"]
    assert (answer["object"], answer["status"]) == ("response", "completed")
    assert output["content"][0]["text"]


@MEASURED
def test_a_tool_and_its_result_are_taken_though_a_mock_calls_none(deployed: Deployed) -> None:
    first, second = (
        deployed.ask(command) for command in (seed.GUIDE_OFFERS_A_TOOL, seed.GUIDE_GIVES_THE_TOOLS_RESULT)
    )
    for answer in (first, second):
        [choice] = answer["choices"]
        # What the page prints instead, tool_calls and reasoning_content, only a model can say.
        assert "tool_calls" not in choice["message"]
        assert choice["message"]["reasoning_content"] is None
        assert choice["message"]["content"]
    # The call and its result have become part of the prompt.
    assert second["usage"]["prompt_tokens"] > first["usage"]["prompt_tokens"]


@MEASURED
def test_a_high_reasoning_effort_with_top_p_one_is_taken(deployed: Deployed) -> None:
    answer = deployed.ask(seed.GUIDE_WANTS_MUCH_REASONING)
    assert answer["choices"][0]["message"]["content"]
    assert answer["usage"]["completion_tokens"] <= 300


@MEASURED
def test_the_page_s_benchmark_runs_aiperf_against_the_frontend_s_service(deployed: Deployed) -> None:
    terminal, target = deployed.reader.terminal, deployed.target
    perf = seed.RECIPE_MEASURES[target]
    assert re.fullmatch(r"job\.batch/gpt-oss-120b-\S*bench created\n", terminal.type(perf))
    try:
        # kubectl knows no pod of a Job in its first moments.
        job = seed.RECIPE_FOLLOWS[target].split("-l ")[1].split()[0]
        until(lambda: deployed.reader.lab.get("pods", "-n", NAMESPACE, "-l", job)["items"] != [], "its pod")
        with terminal.typed(seed.RECIPE_FOLLOWS[target]) as screen:
            screen.until(f":8000/v1/models lists {MODEL}", BENCHMARK_SECONDS)
            screen.until("Starting AIPerf System", BENCHMARK_SECONDS)
            screen.until("AIPerf System is CONFIGURING", BENCHMARK_SECONDS)
            if target == "agg":
                # All are open at a time; the answers to 36,000 requests would take this machine hours, and
                # the prompts of the other target alone, 12,800 of 8,192 tokens, many minutes.
                screen.until(r"sending complete \| sent=3,200, completed=\d+, in_flight=", BENCHMARK_SECONDS)
    finally:
        terminal.type(perf.replace("apply", "delete"))
    pods = pods_of(deployed.reader.lab, GRAPH_OF[target], NAMESPACE)
    assert all(pod["status"]["phase"] == "Running" for each in pods.values() for pod in each)


@MEASURED
@pytest.mark.parametrize("deployed", ["agg"], indirect=True)
def test_bench_measures_as_a_job_to_its_end_and_says_that_a_mock_answered(deployed: Deployed) -> None:
    stack = deployed.reader.stacks[deployed.target]
    load = ("--shape", "128/1000", "--concurrency", "4", "--requests", "20")
    answer = stack.dynamo_stack("bench", stack.name, *load, seconds=BENCHMARK_SECONDS)
    assert "mock engine: no model ran" in answer.stdout
    assert re.search(r"^128/1000 +4 +20 +0 .*this run \(mock engine\)$", answer.stdout, re.MULTILINE)
    assert "128/1000 at 4: 20 answered" in answer.stderr
    [file] = stack.project.glob(".bench/runs/*/result.json")
    result = json.loads(file.read_text())
    assert (result["engine"], result["generator"], result["outcome"]) == ("mock", "job", "complete")
    [measured] = result["measurements"]
    assert (measured["requests"], measured["errors"], measured["outputTokens"]) == (20, 0, 1000)
    assert deployed.reader.lab.get("jobs", "-n", NAMESPACE, "-l", "dynamo-stack/benchmark-run")["items"] == []
