"""One recipe for several kinds and numbers of GPUs."""

from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from recipes.fitting import fitted
from recipes.load import CATALOGUE, load_recipe, parse_recipe
from recipes.model import Recipe
from recipes.pod_environment import started_by, worker_start

HOPPER = {"families": ["hopper"], "engine": {"worker": {"moe_config": {"backend": "TRITON"}}}}
ONE_GPU = {"gpus": 1, "engine": {"worker": {"tensor_parallel_size": 1, "moe_expert_parallel_size": 1}}}


def _recipe(*variants: dict[str, Any]) -> Recipe:
    content = yaml.safe_load((CATALOGUE / "gpt-oss-120b/trtllm-agg.yaml").read_text(encoding="utf-8"))
    content["quantization"]["architectureFamilies"] = ["blackwell", "hopper"]
    return parse_recipe(yaml.safe_dump(content | {"variants": list(variants)}))


def test_values_of_a_variant_hold_on_its_gpus_alone() -> None:
    recipe = _recipe(HOPPER)
    on_blackwell, on_hopper = fitted(recipe, "blackwell"), fitted(recipe, "hopper")
    assert [fit.engine_of("worker").moe_config.backend for fit in (on_blackwell, on_hopper)] == [
        "CUTLASS",
        "TRITON",
    ]
    assert on_hopper.engine_of("worker").max_batch_size == recipe.engine_of("worker").max_batch_size


def test_a_variable_of_a_variant_stands_beside_those_of_the_recipe() -> None:
    recipe = _recipe(HOPPER | {"environment": {"worker": {"TRTLLM_ENABLE_PDL": "0", "NEW": "1"}}})
    [worker] = fitted(recipe, "hopper").workers
    assert worker.environment == {
        "TRTLLM_ENABLE_PDL": "0",
        "TRT_LLM_DISABLE_LOAD_WEIGHTS_IN_PARALLEL": "True",
        "NEW": "1",
    }


def test_number_formats_of_a_variant_are_judged_on_its_gpus_and_asked_for_there_alone() -> None:
    recipe = load_recipe("gpt-oss-120b/vllm-agg")
    on_blackwell, on_hopper = fitted(recipe, "blackwell"), fitted(recipe, "hopper")
    assert on_blackwell.quantization.algorithm == "W4A8_MXFP4_MXFP8"
    assert on_hopper.quantization.algorithm == "W4A16_MXFP4"
    start = worker_start(on_hopper, on_hopper.workers[0])
    assert started_by(on_hopper).environment(start).keys() == {"MODEL_PATH"}


def _vllm_for_hopper(algorithm: str | None) -> str:
    """What is said of the recipe when Hopper gets this format."""
    content = yaml.safe_load((CATALOGUE / "gpt-oss-120b/vllm-agg.yaml").read_text(encoding="utf-8"))
    [variant] = content["variants"]
    variant["algorithm"] = algorithm
    with pytest.raises(ValidationError) as raised:
        parse_recipe(yaml.safe_dump(content))
    return str(raised.value)


@pytest.mark.parametrize("algorithm", [None, "W4A8_MXFP4_MXFP8"])
def test_mxfp8_activations_on_hopper_are_refused_with_what_to_write_instead(algorithm: str | None) -> None:
    said = _vllm_for_hopper(algorithm)
    assert "quantization.algorithm W4A8_MXFP4_MXFP8 has its kernels on B200, GB200, B300 and GB300" in said
    assert "not on H200, H100: write W4A16_MXFP4" in said


@pytest.mark.parametrize(
    ("variants", "said"),
    [
        pytest.param(
            [HOPPER | {"engine": {"worker": {"moe_config": {"backend": "TRTLLM"}}}}],
            "moe_config.backend TRTLLM",
            id="kernels that the family does not have",
        ),
        pytest.param(
            [HOPPER, ONE_GPU | {"engine": {"worker": {"moe_expert_parallel_size": 3}}}],
            "variants[1].engine.worker: moe_expert_parallel_size 3",
            id="parallel sizes that do not divide",
        ),
        pytest.param(
            [HOPPER, ONE_GPU | {"engine": {"worker": {"max_batchsize": 3}}}],
            "max_batchsize: Extra inputs",
            id="an option that the engine does not have",
        ),
    ],
)
def test_a_variant_is_judged_like_the_recipe(variants: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(ValidationError) as raised:
        _recipe(*variants)
    assert said in str(raised.value)
