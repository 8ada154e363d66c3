import dataclasses
from pathlib import Path

import yaml

from recipes import supervisor_script
from recipes.engine_files import engine_files
from recipes.load import CATALOGUE, parse_recipe
from recipes.placed import PlacedRecipe
from tests.support.placed_recipes import DISAGGREGATED, in_one_pod, over


def _placed(**changes: int) -> PlacedRecipe:
    placed = over("tcp")
    if not changes:
        return placed
    content = yaml.safe_load((CATALOGUE / f"{DISAGGREGATED}.yaml").read_text(encoding="utf-8"))
    content["services"][1]["engine"] |= changes
    recipe = parse_recipe(yaml.safe_dump(content))
    by_name = {pod.service_name: pod for pod in recipe.pods}
    services = tuple(
        dataclasses.replace(service, recipe=by_name[service.name]) for service in placed.services
    )
    return dataclasses.replace(placed, recipe=recipe, services=services)


def test_the_supervisor_of_workers_that_share_a_pod_comes_with_their_files() -> None:
    files = engine_files(in_one_pod()).data
    assert set(files) == {"prefill.yaml", "decode.yaml", "supervisor.py"}
    assert files["supervisor.py"] == Path(supervisor_script.__file__).read_text(encoding="utf-8")


def test_another_content_has_another_name() -> None:
    before, after = engine_files(_placed()), engine_files(_placed(max_batch_size=65))
    assert before.name != after.name
    assert before.data["decode.yaml"] == after.data["decode.yaml"]


def test_the_same_content_keeps_its_name() -> None:
    assert engine_files(_placed()).name == engine_files(_placed()).name == "gpt-oss-disagg-engine-5bf3fe4aa5"
