import datetime as dt
import re
from pathlib import Path
from typing import Any

import pytest

from operations.project import resolved_stack
from recipes.load import load_recipe, recipe_names
from tests.cli.command import Command, squeezed, write_stack
from tests.support.dev_settings import (
    agg_gb200_settings,
    dev_settings,
    disagg_b200_settings,
    disagg_gb200_settings,
)
from tests.support.eks_settings import eks_gb200_settings
from tests.support.vllm_settings import DRAFT, overridden_settings, vllm_settings


@pytest.fixture
def explain(command: Command, tmp_path: Path) -> Any:
    def explained(settings: dict[str, Any]) -> str:
        write_stack(tmp_path, settings)
        answer = command("explain", "dev", "--all", folder=tmp_path)
        assert (answer.code, answer.err) == (0, "")
        return squeezed(answer.out)

    return explained


def _in_namespaces_of_others() -> dict[str, Any]:
    settings = disagg_b200_settings()
    settings["serving"] |= {"namespace": {"kind": "existing", "name": "team-a"}}
    settings["platform"] |= {"namespace": {"kind": "existing", "name": "team-a-system"}}
    return settings


def test_explain_names_stack_cluster_and_platform(explain: Any) -> None:
    settings = disagg_gb200_settings()
    settings["cluster"] |= {"server": "https://10.0.0.1:6443"}
    settings["platform"] |= {
        "discovery": "etcd",
        "etcd": {"kind": "external", "addresses": ["http://etcd:2379"]},
    }
    shown = explain(settings)
    assert "STACK dev (Pulumi.dev.yaml), recipe gpt-oss-120b/trtllm-disagg, lifecycle production" in shown
    assert (
        "CLUSTER existing, context gpu-cluster of $KUBECONFIG, server must be https://10.0.0.1:6443" in shown
    )
    assert (
        "own, Dynamo 1.2.1 in dynamo-system, v1beta1, discovery etcd, NATS own x3, etcd http://etcd" in shown
    )


def test_explain_shows_what_used_and_idle_gpus_cost_and_since_when(explain: Any) -> None:
    shown = explain(dev_settings())
    # Five and three of eight B200 at $113.9328 an hour for the node.
    assert "b200 1 x p6-b200.48xlarge 8 B200 5 $71.21/h 3 $42.72/h on demand 1 of 1" in shown
    # Eight GB200 at $10.582 an hour each.
    assert "gb200 2 x p6e-gb200.36xlarge 8 GB200 0 $0.00/h 8 $84.66/h Capacity Block 0 of 2" in shown
    assert (
        "$14.24 a GPU-hour, on demand (AWS Price List API, us regions, on-demand Linux, 2026-09-19)" in shown
    )
    assert "sold only whole, an hour: u-p6e-gb200x36 $380.95" in shown


def test_explain_shows_each_pod_with_its_size_its_nodes_and_its_claim(explain: Any) -> None:
    shown = explain(disagg_gb200_settings())
    assert "Frontend 1 0 4 to 8 16Gi nodes without GPUs none" in shown
    assert (
        "TrtllmDecodeWorker 1 4 129 864Gi pool gb200, 2 nodes claim of gpt-oss-disagg-channel (ComputeDomain)"
        in shown
    )
    assert "nvidia.com/gpu.product=NVIDIA-GB200, kubernetes.io/arch=arm64" in shown


def test_explain_shows_ceiling_evidence_and_what_lifts_a_typed_transport(explain: Any) -> None:
    shown = explain(disagg_b200_settings())
    assert "KV PATH tcp, explicit, unproven (ai-dynamo/dynamo docs disagg-communication-guide.md" in shown
    # 8192 tokens x 36,864 bytes in one machine, where no network card limits them.
    assert "3.3 to 9.9 prompts a second at the 1 to 3 GB/s that NVIDIA's EFA guide gives for TCP" in shown
    assert "Gbit/s" not in shown
    assert "lifted by: network cards with RDMA in both pods" in shown


def test_explain_shows_that_nobody_chose_a_documented_transport(explain: Any) -> None:
    settings = disagg_b200_settings()
    del settings["serving"]["kvTransport"]
    settings["nodePools"][0]["rdma"] = {"resource": "rdma/ib", "fabric": "infiniband"}
    assert "KV PATH rdma, chosen, documented" in explain(settings)


def test_explain_says_what_an_existing_namespace_must_admit(explain: Any) -> None:
    shown = explain(_in_namespaces_of_others())
    assert re.search(
        r"platform: existing, team-a-system \(others made it: .*? baseline admits operator", shown
    )
    assert re.search(r"graph: existing, team-a \(others made it: .*? baseline admits its pods", shown)
    assert "neither creates, labels nor removes it" in shown
    assert "NAMESPACE" not in explain(disagg_b200_settings())


def test_explain_says_the_label_by_which_the_platform_of_another_stack_admits_a_namespace(
    explain: Any,
) -> None:
    platform = {"kind": "existing", "version": "1.2.1", "namespace": "dynamo-system"}
    shown = explain(_in_namespaces_of_others() | {"platform": platform})
    label = "kubectl label namespace team-a uses-dynamo-platform=dynamo-system"
    assert label in shown.partition(" NAMESPACE ")[2]
    assert label not in explain(_in_namespaces_of_others())


def test_explain_says_that_an_aggregated_stack_moves_no_cache(explain: Any) -> None:
    assert "KV PATH none: aggregated, the KV cache never leaves its worker" in explain(agg_gb200_settings())


def test_explain_shows_the_workarounds_that_the_hardware_needs(explain: Any) -> None:
    shown = explain(agg_gb200_settings())
    assert "DEFECTS TRTLLM_FORCE_COMM_METHOD=ALLGATHER" in shown
    assert "ai-dynamo/dynamo#9914" in shown
    assert "DEFECTS" not in explain(disagg_b200_settings())


def test_explain_shows_how_long_a_rollout_interrupts(explain: Any) -> None:
    shown = explain(disagg_b200_settings())
    assert "TrtllmPrefillWorker: RollingUpdate" in shown
    assert "TrtllmDecodeWorker: Recreate" in shown
    assert "nothing serves until the new worker has loaded" in shown


def test_explain_shows_waivers_with_date_and_reason(explain: Any) -> None:
    waivers = [{"rule": "kv-transport-proven", "reason": "measured in May", "expires": "2999-05-31"}]
    assert "WAIVED kv-transport-proven until 2999-05-31: measured in May" in explain(
        disagg_b200_settings() | {"waivers": waivers}
    )


def test_explain_shows_the_operator_before_the_graph(explain: Any) -> None:
    order = re.search(r"ORDER (.*?) RETAINED", explain(dev_settings()))
    assert order is not None
    steps = [step.strip() for step in order.group(1).split(">")]
    graph = steps.index("DynamoGraphDeployment gpt-oss-disagg")
    assert steps.index("Job model-download") < graph
    assert steps.index("Release dynamo-platform") < graph
    # Registered last, the guards are the first to go.
    assert steps[-2:] == ["PlatformGuard platform-guard", "GraphGuard graph-guard"]


def test_explain_lists_everything_that_destroy_leaves(
    explain: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shown = explain(disagg_gb200_settings()).partition(" RETAINED ")[2].partition(" SERVERS ")[0]
    monkeypatch.chdir(tmp_path)
    retained = resolved_stack("dev").retained
    assert {kept.kind for kept in retained} == {
        "PersistentVolumeClaim",
        "Namespace",
        "Secret",
        "Lease",
        "CustomResourceDefinition",
        "ServiceAccount",
        "RoleBinding",
    }
    for kept in retained:
        assert kept.kind in shown
        assert kept.name.partition(".")[0] in shown


@pytest.mark.parametrize(
    ("exposure", "says"),
    [
        (
            None,
            "svc.cluster.local:8000 in the cluster only, network policies made; enforced if your CNI",
        ),
        ({"kind": "internalLoadBalancer"}, "in the cluster and an internal load balancer"),
        (
            {"kind": "ingress", "className": "internal", "host": "llm.example.com", "tlsSecretName": "tls"},
            "and https://llm.example.com by Ingress class internal",
        ),
    ],
)
def test_explain_says_where_clients_reach_the_frontend(
    explain: Any, exposure: dict[str, Any] | None, says: str
) -> None:
    settings = disagg_b200_settings()
    settings["serving"] |= {"exposure": exposure} if exposure else {}
    assert says in explain(settings)


@pytest.mark.parametrize(("day", "old"), [("2026-09-30", False), ("2026-10-02", True)])
def test_explain_says_of_a_price_that_it_is_more_than_a_quarter_old(
    explain: Any, monkeypatch: pytest.MonkeyPatch, day: str, old: bool
) -> None:
    monkeypatch.setenv(
        "SOURCE_DATE_EPOCH", str(int(dt.datetime.fromisoformat(f"{day}T00:00:00Z").timestamp()))
    )
    shown = explain(disagg_b200_settings())
    assert ("capacityblocks/pricing, 2026-07-01, more than a quarter old)" in shown) is old


def test_explain_says_what_was_never_tried_upstream(explain: Any) -> None:
    settings = agg_gb200_settings()
    settings["nodePools"] = [{"name": "gb200", "instanceType": "p6-b200.48xlarge", "nodes": 1}]
    shown = explain(settings)
    assert "EVIDENCE B200: rendered, not validated upstream" in shown
    assert "not validated upstream" not in explain(agg_gb200_settings())
    assert "EVIDENCE B200: mock-served, validated upstream" in explain(disagg_b200_settings())


def test_explain_of_a_path_that_is_reported_failing_recommends_the_recipe_without_it(explain: Any) -> None:
    recipes = [load_recipe(name) for name in recipe_names()]
    split = load_recipe("gpt-oss-120b/trtllm-disagg")
    alike = (split.model, split.framework, split.server)
    whole = [
        each.name
        for each in recipes
        if (each.model, each.framework, each.server) == alike and not each.is_disaggregated
    ]
    says = f"recommended: {' or '.join(whole)} (docs/which-recipe.md)"
    for settings in (disagg_gb200_settings(), eks_gb200_settings()):
        shown = explain(settings)
        assert "reported failing on AWS GB200" in shown
        assert says in shown
    assert "recommended" not in explain(disagg_b200_settings())


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_a_narrow_terminal_breaks_lines_and_nothing_else(
    columns: int, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_stack(tmp_path, disagg_gb200_settings())
    for name, value in {"COLUMNS": str(columns), "FORCE_COLOR": "1", "TERM": "xterm"}.items():
        monkeypatch.setenv(name, value)
    done = command("explain", "dev", "--all", folder=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "\x1b[" in done.out
    lines = re.sub(r"\x1b\[[0-9;]*m", "", done.out).splitlines()
    assert max(map(len, lines)) <= columns
    assert "mnnvl" in done.out


def test_output_without_a_terminal_has_no_colour_and_fits_its_width(command: Command) -> None:
    lines = command("explain", "dev", "--all").out.splitlines()
    assert not any("\x1b" in line for line in lines)
    assert all(line == line.rstrip() for line in lines)
    assert 100 < max(map(len, lines)) <= 120


def test_explain_says_of_a_draft_model_what_does_not_go_with_it(explain: Any) -> None:
    eagle = {"method": "eagle3", "model": DRAFT, "num_speculative_tokens": 3}
    shown = explain(overridden_settings(speculative_config=eagle))
    assert f"DRAFT {DRAFT} proposes tokens: no structured output (response_format) with it" in shown
    assert "DRAFT" not in explain(vllm_settings())


@pytest.mark.parametrize(("version", "loses"), [("1.2.1", True), ("1.4.2", False)])
def test_explain_says_which_release_loses_tool_calls(version: str, loses: bool, explain: Any) -> None:
    settings = disagg_gb200_settings()
    settings["platform"]["version"] = version
    said = "TOOLS Dynamo 1.2.1 drops about half of this model's tool calls, 1.4 does not"
    assert (said in explain(settings)) is loses
