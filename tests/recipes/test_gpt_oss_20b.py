"""A second model: nothing of the plan, the manifest or the rules is of gpt-oss-120b alone."""

import pytest
import yaml

from recipes.load import load_recipe
from tests.rules.case import judge_settings
from tests.support.dev_settings import existing_cluster_settings

NAME = "gpt-oss-20b/trtllm-agg"
NODES = ("p6-b200.48xlarge", "p6e-gb200.36xlarge", "p5en.48xlarge")


def _settings(instance_type: str, **serving: object) -> dict[str, object]:
    pools = [{"name": "gpus", "instanceType": instance_type, "nodes": 1}]
    return existing_cluster_settings({"recipe": NAME, "pool": "gpus", **serving}, pools)


@pytest.mark.parametrize("instance_type", NODES)
def test_it_stands_on_blackwell_and_hopper_and_no_rule_fails(instance_type: str) -> None:
    found = judge_settings(_settings(instance_type)).findings
    assert [each.rule.id for each in found if each.observation.status == "failed"] == []


def test_the_rendered_engine_file_names_no_kernel_so_that_each_family_takes_its_own() -> None:
    recipe = load_recipe(NAME)
    file = yaml.safe_load(recipe.serving_engine.engine_file(recipe.engine_of("worker")))
    assert "moe_config" not in file
    assert file["max_batch_size"] == recipe.benchmark_concurrency
