"""Faults of `make faults` and of kubectl under a stack that serves: the doctor's first line names each."""

import json
import re
import time
from pathlib import Path

import psutil
import pytest
import requests
import yaml

from lab import report
from lab.answer import first_answer
from lab.directory import REPOSITORY
from recipes.alerts import dashboard
from tests.operations.doctor.first_line import healthy, sick
from tests.serving.conftest import BroughtUp
from tests.serving.faults.measure import Bench
from tests.serving.pod_processes import processes_of
from tests.support.promtool import promtool
from tests.support.shipped_stacks import shipped_stack
from tests.support.waiting import until

pytestmark = [pytest.mark.lab, pytest.mark.slow]

PLATFORM, NAMESPACE, GRAPH = "dynamo-system", "gpt-oss", "gpt-oss-disagg"
NATS = "dynamo-platform-nats"
OPERATOR = "deployment/dynamo-platform-dynamo-operator-controller-manager"
NODE = "p6-b200-0"
OTHER = "of-others"
SECONDS = 20
"""The doctor's time."""
ALERTS = yaml.safe_load((REPOSITORY / "recipes" / "alerts.yaml").read_text())
PANELS = 4
SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$", re.MULTILINE)


def _names(row: dict[str, str]) -> set[str]:
    return set(re.findall(r"[a-z]+[:_]\w+(?=\{)", row["query"] + row.get("beside", "")))


@pytest.fixture(scope="module")
def bench(brought_up: BroughtUp) -> Bench:
    return Bench(brought_up("dev"), "as shipped")


@pytest.fixture(autouse=True)
def _whole(bench: Bench) -> None:
    """Each test begins with a stack that is well."""
    until(bench.is_whole, "every pod ready")


def _series(bench: Bench) -> dict[str, str]:
    """What frontend and workers export: a series as Prometheus keeps it -> its value now."""
    found: dict[str, str] = {}
    for pod in (*bench.pods("frontend"), *bench.pods("prefill"), *bench.pods("decode")):
        for process in processes_of(pod):
            for each in process.net_connections("tcp"):
                if each.status == psutil.CONN_LISTEN and each.laddr.port in {8000, 9090}:
                    url = f"http://{each.laddr.ip}:{each.laddr.port}/metrics"
                    page = requests.get(url, timeout=10, proxies={"http": ""}).text
                    for name, labels, value in SAMPLE.findall(page):
                        # The PodMonitor's own labels.
                        own = f'namespace="{NAMESPACE}",pod="{pod}"'
                        found[f"{name}{{{own}{',' if labels else ''}{labels}}}"] = value
    return found


def _scale(bench: Bench, what: str, replicas: int) -> None:
    bench.stack.lab.kubectl("scale", what, "-n", PLATFORM, f"--replicas={replicas}")
    where = (what, "-n", PLATFORM, "--timeout=60s")
    if replicas:
        bench.stack.lab.kubectl("rollout", "status", *where)
    else:
        pods = f"--selector=app.kubernetes.io/name={'nats' if NATS in what else 'dynamo-operator'}"
        bench.stack.lab.kubectl("wait", "--for=delete", "pod", pods, *where[1:])


def test_a_stack_that_answers_is_healthy_in_one_line_and_within_its_time(bench: Bench) -> None:
    started = time.monotonic()
    answer = bench.stack.dynamo_stack("doctor", "dev", "--json")
    assert time.monotonic() - started < SECONDS
    found = json.loads(answer.stdout)
    slow = "first token of a long prompt: over tcp it may take 98 s; `dynamo-stack smoke dev` waits for it"
    assert (found["healthy"], found["causes"], found["unseen"]) == (True, [], [slow])
    assert found["kvPath"]["verdict"] == "not-proven"
    assert "nothing real can be proven" in found["kvPath"]["found"]
    assert "; " not in healthy(bench.stack)


def test_the_metrics_that_alerts_compare_are_those_that_frontend_and_workers_export(bench: Bench) -> None:
    first_answer(report.frontends(bench.stack.lab.directory)[NAMESPACE, GRAPH])
    exported = {name.partition("{")[0] for name in _series(bench)}
    for row in ALERTS:
        names = _names(row) - {*row.get("unseen", ())}
        assert {name for name in names if name.startswith("dynamo_")} <= exported, row["alert"]
        assert not exported & {*row.get("unseen", ())}, row["alert"]


def test_every_panel_of_the_dashboard_has_data_from_frontend_and_workers_that_answer(
    bench: Bench, tmp_path: Path
) -> None:
    before = _series(bench)
    first_answer(report.frontends(bench.stack.lab.directory)[NAMESPACE, GRAPH])
    after = _series(bench)
    # Of the errors that these count there is none; the labels by which they choose are exported.
    counted = next(name for name in after if name.startswith("dynamo_frontend_requests_total{"))
    assert all(f'{label}="' in counted for label in ("model", "status", "error_type"))
    panels = dashboard(shipped_stack("dev").serving.placed)["panels"]
    asked = {panel["title"]: panel["targets"][0]["expr"] for panel in panels}
    unseen = {name for row in ALERTS for name in row.get("unseen", ())}
    asked = {
        title: query
        for title, query in asked.items()
        if "dynamo_" in query
        and "error_type=" not in query
        and "error_type!" not in query
        and not any(name in query for name in unseen)
    }
    assert len(asked) >= PANELS
    samples = [
        {"series": name, "values": f"{before.get(name, '0')} {value}"}
        for name, value in after.items()
        if name.startswith("dynamo_") and value != "NaN"
    ]
    has_data = [
        {"expr": f"count({query}) > bool 0", "eval_time": "1m", "exp_samples": [{"labels": "{}", "value": 1}]}
        for query in asked.values()
    ]
    tests = {"tests": [{"interval": "1m", "input_series": samples, "promql_expr_test": has_data}]}
    (tmp_path / "tests.yaml").write_text(yaml.safe_dump(tests))
    promtool(tmp_path, "test", "rules", "tests.yaml")


def test_a_graph_is_looked_at_without_its_stack(bench: Bench) -> None:
    where = ("--context", "dynamo-lab", "--namespace", NAMESPACE)
    answer = bench.stack.dynamo_stack("doctor", *where)
    assert answer.stdout.startswith(
        f"graph {NAMESPACE}/{GRAPH} is healthy: it answered from a mock engine in "
    )
    refused = bench.stack.dynamo_stack("doctor", *where, "--graph", "another", check=False)
    assert refused.returncode == 2
    assert f"there is no graph another in namespace {NAMESPACE}" in refused.stderr


def test_a_graph_of_somebody_else_s_file_is_looked_at_as_it_stands(bench: Bench) -> None:
    file = (REPOSITORY / "docs" / "examples" / "graph.yaml").read_text()
    bench.stack.lab.kubectl("create", "namespace", OTHER)
    manifest = file.replace("namespace: gpt-oss", f"namespace: {OTHER}")
    bench.stack.lab.kubectl("apply", "-f", "-", stdin=manifest)
    where = ("--context", "dynamo-lab", "--namespace", OTHER)

    def first_line() -> str:
        return bench.stack.dynamo_stack("doctor", *where, check=False).stdout.partition("\n")[0]

    until(lambda: "no node has as many free GPUs as the pod asks for" in first_line(), "its first line")
    assert first_line().startswith(f"graph {OTHER}/gpt-oss-vllm is sick: pod gpt-oss-vllm-")
    bench.stack.lab.kubectl("delete", "namespace", OTHER, "--timeout=120s")


def test_preflight_finds_in_the_cluster_what_the_stack_needs_and_binds_a_claim_of_its_class(
    bench: Bench,
) -> None:
    answer = bench.stack.dynamo_stack("preflight", "dev", "--bind-claim", "--json")
    verdicts = {each["question"]: each["verdict"] for each in json.loads(answer.stdout)["answers"]}
    good = {
        "pool b200: free GPUs",
        "pool b200: NVIDIA driver",
        "storage class shared-files",
        "Dynamo operator",
    }
    good.add("a claim of storage class shared-files gets a volume")
    assert {question: verdicts[question] for question in good} == dict.fromkeys(good, "good")
    assert "wrong" not in verdicts.values()
    left = bench.stack.lab.get("pvc", "-n", "default")["items"]
    assert left == []


@pytest.mark.parametrize("role", ["frontend", "decode"])
def test_a_pod_that_was_killed_is_named_with_its_exit_code(bench: Bench, role: str) -> None:
    [pod] = bench.pods(role)
    bench.kill(pod)
    ended = f"pod {pod} ended with exit code 137"

    def is_said() -> bool:
        # At once the pod is still Ready for the cluster; afterwards it runs again, which the line says too.
        return ended in bench.stack.dynamo_stack("doctor", "dev", check=False).stdout.splitlines()[0]

    until(is_said, "the end of the process in the first line")
    until(bench.is_whole, "every pod ready again")
    assert f"{ended} (Error) " in healthy(bench.stack)


def test_of_faults_that_come_together_the_lowest_is_the_first_line(bench: Bench) -> None:
    def also() -> list[str]:
        said = bench.stack.dynamo_stack("doctor", "dev", "--json", check=False).stdout
        return [each["what"] for each in json.loads(said)["causes"][1:]]

    cordoned, away = f"node {NODE} is cordoned, and a pod waits for a node", f"{NATS}: it is scaled to 0"
    nobody = "the Dynamo operator has no pod: somebody scaled it down or deleted it"
    [pod] = bench.pods("decode")
    bench.stack.lab.kubectl("cordon", NODE)
    bench.delete(pod)
    until(lambda: pod not in bench.pods("decode"), "another pod")
    # The pod that waits is a symptom.
    assert cordoned in sick(bench.stack)
    _scale(bench, f"statefulset/{NATS}", 0)
    assert cordoned in sick(bench.stack)
    assert any(away in each for each in also())
    _scale(bench, OPERATOR, 0)
    assert cordoned in sick(bench.stack)
    assert nobody in also()
    bench.stack.lab.kubectl("uncordon", NODE)
    [pod] = bench.pods("frontend")
    bench.kill(pod)
    # Pods that start find no NATS, symptoms again; the operator lies below it.
    assert nobody in sick(bench.stack)
    assert [each for each in also() if away not in each] == []
    _scale(bench, OPERATOR, 1)
    assert f"{away}; no pod of a graph starts without them" in sick(bench.stack)
    _scale(bench, f"statefulset/{NATS}", 1)


def test_a_cluster_that_does_not_answer_cannot_be_looked_at(bench: Bench) -> None:
    answer = bench.stack.dynamo_stack("doctor", "dev", check=False, variables={"KUBECONFIG": "/nowhere"})
    assert answer.returncode == 2
    assert not answer.stdout
    assert "Traceback" not in answer.stderr
