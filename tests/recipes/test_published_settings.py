"""What the publisher wrote, by hand from its page and its files, against what is rendered of each recipe."""

import copy
import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.render import render_graph
from recipes.benchmark_job import benchmark_job, benchmark_line
from recipes.load import load_recipe
from stacks.plan.stack_plan import StackPlan
from tests.support.dev_settings import dev_settings, resolved
from tests.support.recordings import recorded_stack

AGGREGATED, DISAGGREGATED = "gpt-oss-120b/trtllm-agg", "gpt-oss-120b/trtllm-disagg"
TABLES = {AGGREGATED: "published_settings_agg.yaml", DISAGGREGATED: "published_settings_disagg.yaml"}
WORKERS = {
    AGGREGATED: {"TrtllmWorker": "worker.yaml"},
    DISAGGREGATED: {"TrtllmPrefillWorker": "prefill.yaml", "TrtllmDecodeWorker": "decode.yaml"},
}
EVERY_RECIPE = pytest.mark.parametrize("recipe", TABLES)
ABSENT = "(absent)"
AS_PUBLISHED = "="


@dataclass(frozen=True)
class Row:
    setting: str
    published: Any
    ours: Any
    why: str
    source: str
    place: str

    @property
    def expected(self) -> Any:
        return self.published if self.ours == AS_PUBLISHED else self.ours


@cache
def published_rows(recipe: str) -> list[Row]:
    text = Path(__file__).with_name(TABLES[recipe]).read_text(encoding="utf-8")
    return [Row(*entry) for entry in yaml.safe_load(text)]


@cache
def _stack(recipe: str) -> StackPlan:
    """The committed stack dev, or the aggregated recipe on GB200 trays."""
    settings = dev_settings()
    if recipe == AGGREGATED:
        settings["serving"] = {"recipe": recipe, "namespace": "gpt-oss", "pool": "gb200"}
    return resolved(settings)


@cache
def rendered(recipe: str) -> dict[str, Any]:
    """Documents by kind, components of the graph and engine files by name, the benchmark and its parts.

    `main` of a component is its main container, `env` that one's variables.
    """
    stack = _stack(recipe)
    text = "---\n".join(text for _, text in render_graph(recorded_stack(stack)))
    documents = {document["kind"]: document for document in yaml.safe_load_all(text) if document}
    graph = documents["DynamoGraphDeployment"]
    services: dict[str, Any] = {}
    for component in copy.deepcopy(graph["spec"]["components"]):
        [main] = component["podTemplate"]["spec"].pop("containers")
        services[component["name"]] = component | {"main": main, "env": _variables(main)}
    files = {name: yaml.safe_load(content) for name, content in documents["ConfigMap"]["data"].items()}
    [download] = documents["Job"]["spec"]["template"]["spec"]["containers"]
    parts = {"graph": graph, "download-env": _variables(download)}
    return documents | parts | services | files | _benchmark(stack)


def _benchmark(stack: StackPlan) -> dict[str, Any]:
    placed = stack.serving.placed
    job = benchmark_job(placed)
    [container] = job["spec"]["template"]["spec"]["containers"]
    install = container["args"][0].splitlines()[0].split()
    return {
        "benchmark": job,
        "benchmark-env": _variables(container),
        "benchmark-packages": install[install.index("--target") + 2 :],
        "aiperf": _flags(shlex.split(benchmark_line(placed.recipe, placed.graph_name, "aiperf"))),
    }


def _flags(command: list[str]) -> dict[str, Any]:
    """Each flag with its value, its values where it is repeated, or True where it has none."""
    flags: dict[str, Any] = {}
    for word, following in zip(command, [*command[1:], "--"], strict=True):
        if not word.startswith("--"):
            continue
        if following.startswith("--"):
            flags[word] = True
        elif word == "--extra-inputs":
            flags.setdefault(word, []).append(following)
        else:
            flags[word] = following
    return flags


def _variables(container: dict[str, Any]) -> dict[str, str | None]:
    return {variable["name"]: variable.get("value") for variable in container["env"]}


def _at(recipe: str, place: str) -> Any:
    document, _, path = place.partition(" ")
    value = rendered(recipe)[document]
    for key in path.split("."):
        try:
            value = value[int(key)] if isinstance(value, list) else value[key.replace("·", ".")]
        except (KeyError, IndexError):
            return ABSENT
    return value


@EVERY_RECIPE
def test_every_setting_is_rendered_as_the_table_says(recipe: str) -> None:
    assert [
        (row, found) for row in published_rows(recipe) if (found := _at(recipe, row.place)) != row.expected
    ] == []


@EVERY_RECIPE
def test_what_is_not_as_published_names_a_correction_that_the_recipe_lists(recipe: str) -> None:
    listed = {correction.id for correction in load_recipe(recipe).corrections}
    changed = [row for row in published_rows(recipe) if row.expected != row.published]
    assert changed
    assert [row for row in changed if not row.why or not set(row.why.split()) <= listed] == []


@EVERY_RECIPE
def test_no_engine_option_variable_or_flag_of_the_benchmark_is_missing_in_the_table(recipe: str) -> None:
    variables = [f"{worker} env" for worker in WORKERS[recipe]]
    for document in [*WORKERS[recipe].values(), *variables, "aiperf"]:
        prefix = f"{document}." if document in variables else f"{document} "
        compared = {
            re.sub(r"\.[0-9]+$", "", row.place.removeprefix(prefix))
            for row in published_rows(recipe)
            if row.place.startswith(prefix) and row.expected != ABSENT
        }
        name, _, path = document.partition(" ")
        found = rendered(recipe)[name]
        assert set(_leaves(found[path] if path else found)) == compared, document


def _leaves(block: dict[str, Any], prefix: str = "") -> list[str]:
    return [
        leaf
        for key, value in block.items()
        for leaf in (_leaves(value, f"{prefix}{key}.") if isinstance(value, dict) else [f"{prefix}{key}"])
    ]


@EVERY_RECIPE
def test_the_frontend_prefers_not_to_share_a_node_with_another_and_never_takes_a_gpu_node(
    recipe: str,
) -> None:
    affinity = _at(recipe, "Frontend podTemplate.spec.affinity")
    [term] = affinity["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    selector = yaml.safe_dump(term["podAffinityTerm"]["labelSelector"])
    assert f"nvidia.com/dynamo-graph-deployment-name: {load_recipe(recipe).graph_name}" in selector
    assert re.search(r"nvidia\.com/dynamo-component-type", selector)
    [node_term] = affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    assert node_term["matchExpressions"] == [
        {"key": "nvidia.com/gpu.present", "operator": "NotIn", "values": ["true"]}
    ]
