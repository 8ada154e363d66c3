"""`dynamo-stack bench STACK`: as a Job, or through a port-forward, with a kubectl that a test answers for."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from operations.benchmark.recording import RESULT_FILE
from operations.smoke.graph_pods import ENGINE_ANNOTATION
from recipes.benchmark_job import RESULT_FOLLOWS
from tests.cli.command import Answer, Command, squeezed
from tests.operations.benchmark.made_results import RECORDED, fake_aiperf
from tests.operations.fake_cluster import FakeCluster
from tests.recipes.listing_frontend import LISTED, listing_frontend

Bench = Callable[..., Answer]

READY = [{"type": "Ready", "status": "True"}]


def _log(loads: int) -> str:
    """What the Job prints after so many loads."""
    summary = RECORDED.read_text(encoding="utf-8")
    return "".join(f"{RESULT_FOLLOWS} {number}\n{summary}\n" for number in range(1, loads + 1))


def _pod(name: str, **annotations: str) -> dict[str, Any]:
    return {
        "metadata": {"name": name, "annotations": annotations},
        "status": {"phase": "Running", "conditions": READY},
    }


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCluster:
    """A cluster in which stack dev serves."""
    job_pod = {"metadata": {"name": "bench-x7k2p"}, "spec": {}, "status": {"phase": "Succeeded"}}
    graph = [_pod("frontend"), _pod("prefill"), _pod("decode")]
    objects: dict[str, Any] = {"jobs": [{"status": {}}], "others": [job_pod], "pods": graph}
    return FakeCluster(tmp_path, objects).answer_in(monkeypatch)


@pytest.fixture
def bench(command: Command, cluster: FakeCluster, tmp_path: Path) -> Bench:
    """`bench dev` in that cluster."""
    return lambda *words: command("bench", "dev", *words, "--results", tmp_path / "runs")


def _kept(folder: Path) -> dict[str, Any]:
    [file] = folder.glob(f"runs/*/{RESULT_FILE}")
    return json.loads(file.read_text(encoding="utf-8"))


def test_a_stack_is_measured_by_a_job_in_its_cluster(
    bench: Bench, cluster: FakeCluster, tmp_path: Path
) -> None:
    cluster.say("logs", _log(2))
    answer = bench("--shape", "8192/1024", "--shape", "128/1000", "--time-limit", "600")
    assert (answer.code, answer.err.splitlines()[:2]) == (
        0,
        [
            "25,600 requests, and 2,560 to warm up, in 2 loads: 20 min at most; a Job in the cluster sends "
            "them and installs aiperf==0.13.0 into its own folder first",
            "[1/2] 8192/1024 at 1280: 12800 requests, after 1280 to warm up",
        ],
    )
    assert "Job gpt-oss-120b-disagg-bench deleted" in answer.err
    kept = _kept(tmp_path)
    assert (kept["target"], kept["generator"], kept["gpus"]) == ("dev", "job", 5)
    assert (kept["accelerators"], kept["engine"]) == (["B200"], "real")
    assert [each["shape"] for each in kept["measurements"]] == ["8192/1024", "128/1000"]
    assert kept["measurements"][0]["outputTokensPerSecondPerGpu"] == pytest.approx(649.723 / 5, abs=1e-3)


def test_the_job_is_the_recipe_s_with_the_loads_that_were_asked_for(
    bench: Bench, cluster: FakeCluster, tmp_path: Path
) -> None:
    cluster.say("logs", _log(3))
    assert bench("--sweep", "--concurrency", "10", "--time-limit", "600").code == 0
    job = json.loads((tmp_path / "created.json").read_text(encoding="utf-8"))
    assert (job["metadata"]["name"], job["metadata"]["namespace"]) == ("gpt-oss-120b-disagg-bench", "gpt-oss")
    assert job["spec"]["activeDeadlineSeconds"] == 1800
    [container] = job["spec"]["template"]["spec"]["containers"]
    sent = [line for line in container["args"][0].splitlines() if " profile " in line]
    assert re.findall(r"--concurrency (\d+) ", "\n".join(sent)) == ["1", "4", "10"]


def test_a_stack_with_a_mock_engine_is_said_to_be_one(
    bench: Bench, cluster: FakeCluster, tmp_path: Path
) -> None:
    cluster.objects["pods"] = [_pod("frontend"), _pod("decode", **{ENGINE_ANNOTATION: "mock"})]
    cluster.say("logs", _log(1))
    assert "mock engine: no model ran" in bench().out
    assert _kept(tmp_path)["engine"] == "mock"


def test_a_prompt_that_the_engines_refuse_ends_before_a_job_is_made(
    bench: Bench, cluster: FakeCluster, tmp_path: Path
) -> None:
    answer = bench("--shape", "32000/256", "--shape", "8000/4000")
    assert (answer.code, answer.out) == (2, "")
    assert "32000/256: a prompt may have 8,999 tokens at most" in answer.err
    assert "8000/4000: a prompt and its answer may have 11,000 tokens at most" in answer.err
    assert cluster.typed("create") == []
    assert not (tmp_path / "runs").exists()


def test_of_all_shapes_the_one_that_is_left_out_is_named(bench: Bench, cluster: FakeCluster) -> None:
    cluster.say("logs", _log(3))
    answer = bench("--shape", "all")
    assert answer.code == 0
    assert "left out: 32000/256: a prompt may have 8,999 tokens at most" in answer.err


def test_from_here_a_stack_is_measured_through_a_port_forward_and_the_result_says_so(
    bench: Bench, cluster: FakeCluster, tmp_path: Path
) -> None:
    with listing_frontend((200, LISTED)) as models:
        port = models.removesuffix("/v1/models").rpartition(":")[2]
        cluster.say("forwarding", f"Forwarding from 127.0.0.1:{port} -> 8000\n")
        answer = bench("--from-here", "--aiperf", fake_aiperf(tmp_path), "--concurrency", "4")
    assert answer.code == 0
    kept = _kept(tmp_path)
    assert (kept["generator"], kept["target"]) == ("here", "dev")
    assert kept["note"].startswith("through kubectl port-forward, where one connection carries all streams")
    assert kept["note"] in answer.out
    sent = (tmp_path / "calls").read_text(encoding="utf-8")
    assert "--tokenizer openai/gpt-oss-120b --tokenizer-revision b5c939de" in sent
    assert cluster.typed("create") == []


def test_a_context_that_does_not_exist_ends_before_anything_is_asked(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    assert bench().code == 2
    assert not (tmp_path / "calls").exists()


URL = ("--url", "http://127.0.0.1:9")
WHOLE = (*URL, "--shape", "128/1000", "--concurrency", "4")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param((), "give one STACK, or --url URL", id="nothing"),
        pytest.param(("disagg-gb200-two-trays",), "has no graph yet: pool gb200", id="a stack that waits"),
        pytest.param(
            ("dev", *URL, "--recipe", "gpt-oss-120b/vllm-agg"), "--recipe: goes with --url alone", id="both"
        ),
        pytest.param(
            (*URL, "--recipe", "gpt-oss-120b/vllm-ag"),
            "; the nearest is gpt-oss-120b/vllm-agg",
            id="no such recipe",
        ),
        pytest.param(URL, "--shape: is needed with --url, unless a STACK or --recipe", id="no shape"),
        pytest.param((*URL, "--shape", "9/9"), "--concurrency: is needed with --url", id="no concurrency"),
        pytest.param(
            ("--url", "127.0.0.1:8000", *WHOLE[2:]),
            "--url 127.0.0.1:8000: is no URL of HTTP",
            id="no scheme",
        ),
        pytest.param(
            ("--url", "http://host:8000/way/v1", *WHOLE[2:]), "http://host:8000/way has a path", id="path"
        ),
        pytest.param(
            ("--url", "http://me:word@host", *WHOLE[2:]),
            "…@host: carries credentials",
            id="password",
        ),
        pytest.param((*WHOLE, "--from-here"), "--from-here: goes with a STACK", id="from here"),
        pytest.param((*WHOLE, "--mock", "--gpus", "4"), "--gpus: a mock engine has no GPU", id="mock GPUs"),
        pytest.param(
            (*WHOLE, "--mock", "--record"), "goes with a STACK that a real engine serves", id="mock record"
        ),
        pytest.param((*WHOLE, "--gpus", "four"), "'four' is not a number, such as 4 or 4xGB200", id="GPUs"),
        pytest.param((*WHOLE, "--gpus", "4xGB20"), "'GB20' is not one of B200, GB200", id="kind of GPU"),
        pytest.param(
            (*WHOLE, "--requests", "3"), "3 requests cannot keep 4 open: give 4 or more", id="few requests"
        ),
        pytest.param(("dev", "--mock"), "--mock: goes with --url; the stack says it", id="mock of a stack"),
        pytest.param(
            ("dev", "--tokenizer", "x"),
            "--tokenizer: goes with --from-here; the Job brings its own",
            id="tokenizer of a Job",
        ),
        pytest.param(
            ("dev", "--shape", "128x1000"),
            "'128x1000' is not tokens in and tokens out, such as 128/1000, 8192/1024, 32000/256, 1000/2000, "
            "nor all; the nearest is 128/1000",
            id="shape",
        ),
        pytest.param(
            ("dev", "--shape", "all", "--shape", "9/9"), "all are all of them: leave the others", id="all"
        ),
        pytest.param(
            ("dev", "--concurrency", "0"), "should be greater than or equal to 1", id="no requests at once"
        ),
    ],
)
def test_a_contradiction_is_named_with_its_option(
    command: Command, words: tuple[str, ...], said: str
) -> None:
    answer = command("bench", *words)
    assert (answer.code, answer.out) == (2, "")
    plain = squeezed(answer.err.replace("│", " ").replace("'--", "--").replace("':", ":"))
    assert said in plain
