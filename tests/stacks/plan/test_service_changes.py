"""Variables, options, router mode and image versions of a stack: merged, or refused with the place."""

from typing import Any

import pytest

from recipes.graph_manifest import graph_spec
from recipes.pod_environment import process_environment
from rules.model import Status
from stacks.errors import SettingsError
from stacks.settings.load import parse_settings
from tests.rules.case import judge_settings
from tests.support.dev_settings import FILE, agg_gb200_settings, disagg_b200_settings, problems_of, resolved
from tests.support.shipped_stacks import served_settings


def _pods(settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The main container of each component, by the component's type."""
    components = graph_spec(resolved(settings).serving.placed, "engine")["components"]
    return {each["type"]: each["podTemplate"]["spec"]["containers"][0] for each in components}


def _variables(container: dict[str, Any]) -> dict[str, str]:
    return {variable["name"]: variable["value"] for variable in container["env"]}


def _without_dynamo() -> dict[str, Any]:
    """Settings of a recipe that an engine's own server serves."""
    settings = _changed(agg_gb200_settings(), recipe="gpt-oss-120b/trtllm-low-latency")
    del settings["platform"]
    return settings


def _changed(settings: dict[str, Any], **serving: object) -> dict[str, Any]:
    settings["serving"] |= serving
    return settings


def test_one_container_has_one_image() -> None:
    settings = served_settings("disagg-b200-8gpu")
    [problem] = problems_of(_changed(settings, imageVersions={"decode": "1.2.1-fix.3"}))
    assert problem.key == "serving.imageVersions.decode"
    assert "one container, which has one image" in problem.message
    both = {"prefill": "1.2.1-fix.3", "decode": "1.2.1-fix.3"}
    pods = _pods(_changed(served_settings("disagg-b200-8gpu"), imageVersions=both))
    assert pods["worker"]["image"].endswith(":1.2.1-fix.3")


def test_a_variable_is_set_replaced_and_taken_away_for_one_role() -> None:
    changes = {"decode": {"NCCL_DEBUG": "INFO", "NCCL_GRAPH_REGISTER": "1", "TRTLLM_ENABLE_PDL": None}}
    pods = _pods(_changed(disagg_b200_settings(), environment=changes))
    decode, prefill = _variables(pods["decode"]), _variables(pods["prefill"])
    assert (decode["NCCL_DEBUG"], decode["NCCL_GRAPH_REGISTER"]) == ("INFO", "1")
    assert "TRTLLM_ENABLE_PDL" not in decode
    assert (prefill["NCCL_GRAPH_REGISTER"], prefill["TRTLLM_ENABLE_PDL"]) == ("0", "1")
    assert "NCCL_DEBUG" not in prefill


def test_an_option_takes_the_place_of_the_recipe_s_and_others_stay() -> None:
    changes = {"frontend": ["--migration-limit", "5", "--router-temperature", "0.2"]}
    [command] = _pods(_changed(disagg_b200_settings(), arguments=changes))["frontend"]["args"]
    assert "--http-port 8000" in command
    assert command.endswith("--migration-limit 5 --router-temperature 0.2")
    assert command.count("--migration-limit") == 1


def test_an_option_of_a_worker_follows_what_the_recipe_says() -> None:
    changes = {"worker": ["--publish-kv-events"]}
    [command] = _pods(_changed(agg_gb200_settings(), arguments=changes))["worker"]["args"]
    # In the words of the runtime's release line.
    assert command.endswith("--publish-events-and-metrics")


def test_the_router_s_mode_is_one_setting() -> None:
    [command] = _pods(_changed(agg_gb200_settings(), routerMode="least-loaded"))["frontend"]["args"]
    assert "--router-mode least-loaded" in command
    assert "round-robin" not in command


def test_a_mode_that_hears_of_no_events_is_judged_by_the_rules() -> None:
    found = judge_settings(_changed(agg_gb200_settings(), routerMode="kv")).findings
    failed = {each.rule.id for each in found if each.observation.status is Status.FAILED}
    assert "kv-router-knows-the-cache" in failed


def test_an_option_that_no_release_has_is_judged_by_the_rules() -> None:
    changed = _changed(agg_gb200_settings(), arguments={"frontend": ["--router-temprature", "0.2"]})
    found = judge_settings(changed).findings
    assert any("--router-temprature" in each.observation.message for each in found)


def test_prefill_and_decode_of_different_releases_are_refused() -> None:
    [problem] = problems_of(_changed(disagg_b200_settings(), imageVersions={"decode": "1.2.0"}))
    assert (problem.key, problem.value) == ("serving.imageVersions.decode", "1.2.0")
    assert problem.message.endswith("between releases: this is prefill 1.2.1 and decode 1.2.0")
    both = _changed(disagg_b200_settings(), imageVersions={"decode": "1.2.0", "prefill": "1.2.0-ours"})
    assert _pods(both)["decode"]["image"].endswith(":1.2.0")


def test_one_role_may_have_another_build_of_the_same_release() -> None:
    pods = _pods(_changed(disagg_b200_settings(), imageVersions={"decode": "1.2.1-fix.3"}))
    assert pods["decode"]["image"].endswith("tensorrtllm-runtime:1.2.1-fix.3")
    assert pods["prefill"]["image"].endswith("tensorrtllm-runtime:1.2.1")
    assert pods["frontend"]["image"].endswith("tensorrtllm-runtime:1.2.1")


@pytest.mark.parametrize(
    ("serving", "key", "said"),
    [
        ({"environment": {"worker": {"HF_HOME": "/x"}}}, "environment.worker.HF_HOME", "modelCache"),
        ({"environment": {"frontend": {"HF_HUB_OFFLINE": None}}}, "environment.frontend.HF_HUB_OFFLINE", ""),
        (
            {"environment": {"worker": {"MODEL_PATH": "/x"}}},
            "environment.worker.MODEL_PATH",
            "model.revision",
        ),
        (
            {"environment": {"worker": {"OVERRIDE_QUANT_ALGO": "W4A16_MXFP4"}}},
            "environment.worker.OVERRIDE_QUANT_ALGO",
            "quantization",
        ),
        ({"environment": {"worker": {"HF_TOKEN": "x"}}}, "environment.worker.HF_TOKEN", "--secret"),
        ({"environment": {"worker": {"NATS_SERVER": "x"}}}, "environment.worker.NATS_SERVER", "platform"),
        (
            {"environment": {"frontend": {"DYN_ROUTER_MODE": "kv"}}},
            "environment.frontend.DYN_ROUTER_MODE",
            "serving.routerMode",
        ),
        ({"arguments": {"frontend": ["--router-mode", "kv"]}}, "arguments.frontend", "serving.routerMode"),
        ({"arguments": {"frontend": ["--http-port", "80"]}}, "arguments.frontend", "port 8000"),
        ({"arguments": {"frontend": ["kv"]}}, "arguments.frontend", None),
        (
            {"arguments": {"worker": ["--max-batch-size", "4"]}},
            "arguments.worker",
            "serving.overrides.worker.max_batch_size",
        ),
        (
            {"arguments": {"worker": ["--free-gpu-memory-fraction=0.5"]}},
            "arguments.worker",
            "serving.overrides.worker.kv_cache_config.free_gpu_memory_fraction",
        ),
        (
            {"arguments": {"worker": ["--extra-engine-args", "x"]}},
            "arguments.worker",
            "serving.overrides.worker",
        ),
        (
            {"arguments": {"worker": ["--override-engine-args", '{"max_batch_size": 4}']}},
            "arguments.worker",
            "serving.overrides.worker",
        ),
        (
            {"arguments": {"worker": ["--trtllm.kv_cache_config.dtype", "auto"]}},
            "arguments.worker",
            "serving.overrides.worker.kv_cache_config.dtype",
        ),
        (
            {"environment": {"worker": {"DYN_TRTLLM_MAX_BATCH_SIZE": "4"}}},
            "environment.worker.DYN_TRTLLM_MAX_BATCH_SIZE",
            "serving.overrides.worker.max_batch_size",
        ),
        (
            {"environment": {"worker": {"DYN_TRTLLM_OVERRIDE_ENGINE_ARGS": "{}"}}},
            "environment.worker.DYN_TRTLLM_OVERRIDE_ENGINE_ARGS",
            "serving.overrides.worker",
        ),
        ({"arguments": {"worker": ["--model-path", "x"]}}, "arguments.worker", "serving.recipe"),
        (
            {"arguments": {"worker": ["--dyn-tool-call-parser", "x"]}},
            "arguments.worker",
            "the model's description",
        ),
        ({"arguments": {"decode": ["--max-file-size-mb", "1"]}}, "arguments.decode", None),
        ({"environment": {"decode": {"A": "1"}}}, "environment.decode.A", None),
        ({"imageVersions": {"prefill": "1.2.1"}}, "imageVersions.prefill", None),
        ({"imageVersions": {"worker": "1.4.2"}}, "imageVersions.worker", "another platform.version"),
    ],
)
def test_what_is_said_elsewhere_is_refused_with_the_place(
    serving: dict[str, Any], key: str, said: str | None
) -> None:
    [problem] = problems_of(_changed(agg_gb200_settings(), **serving))
    assert problem.key == f"serving.{key}"
    if said is None:
        assert "no role" in problem.message or "the flag first" in problem.message
    else:
        assert said in str(problem.suggestion)


@pytest.mark.parametrize(
    ("serving", "key"),
    [
        ({"routerMode": "kv"}, "serving.routerMode"),
        ({"environment": {"frontend": {"A": "1"}}}, "serving.environment.frontend.A"),
        ({"arguments": {"worker": ["--log_level", "debug"]}}, "serving.arguments.worker"),
        (
            {"environment": {"worker": {"OVERRIDE_QUANT_ALGO": "x"}}},
            "serving.environment.worker.OVERRIDE_QUANT_ALGO",
        ),
    ],
)
def test_a_server_without_dynamo_has_no_frontend_and_takes_its_options_from_its_file(
    serving: dict[str, Any], key: str
) -> None:
    [problem] = problems_of(_changed(_without_dynamo(), **serving))
    assert problem.key == key


def test_a_variable_of_a_server_without_dynamo_is_rendered() -> None:
    changes = {"environment": {"worker": {"NCCL_DEBUG": "INFO"}}}
    placed = resolved(_changed(_without_dynamo(), **changes)).serving.placed
    [worker] = placed.workers
    assert process_environment(placed, worker, worker.recipe.processes[0])["NCCL_DEBUG"] == "INFO"


@pytest.mark.parametrize(
    ("serving", "said"),
    [
        ({"environment": {"worker": {"A-B": "1"}}}, "a variable's name"),
        ({"environment": {"worker": {"A": 1}}}, 'quote it, as in "1"'),
        ({"routerMode": "kvv"}, "try: kv"),
        ({"imageVersions": {"worker": "latest"}}, "a tag that begins with a version"),
        ({"arguments": {"wroker": []}}, "try: worker"),
    ],
)
def test_a_setting_of_the_wrong_form_is_named(serving: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        parse_settings(_changed(agg_gb200_settings(), **serving), FILE)
    assert said in str(refused.value)
