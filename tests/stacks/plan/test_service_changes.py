"""Variables, options, router mode and image versions of a stack: merged, or refused with the place."""

from typing import Any

import pytest

from recipes.graph_manifest import graph_spec
from recipes.pod_environment import process_environment
from tests.rules.case import judge_settings
from tests.stacks.changed_settings import GONE, Settings, changed, said
from tests.support.dev_settings import agg_gb200_settings, disagg_b200_settings, problems_of, resolved
from tests.support.graph_pods import mains_by_type
from tests.support.shipped_stacks import served_settings


def _pods(settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return mains_by_type(graph_spec(resolved(settings).serving.placed))


DISAGG = disagg_b200_settings()
AGG = agg_gb200_settings()
WITHOUT_DYNAMO = changed(AGG, {"serving.recipe": "gpt-oss-120b/trtllm-low-latency", "platform": GONE})
ONE_POD = served_settings("disagg-b200-8gpu")


def _serving(settings: Settings, **serving: object) -> Settings:
    return changed(settings, {f"serving.{key}": value for key, value in serving.items()})


@pytest.mark.parametrize(
    ("settings", "versions", "text"),
    [
        (
            ONE_POD,
            {"decode": "1.2.1-fix.3"},
            "serving.imageVersions.decode = '1.2.1-fix.3'\n"
            "  prefill and decode are processes of one container, which has one image: this is prefill 1.2.1 "
            "and decode 1.2.1-fix.3\n"
            "  try: the same version for prefill and decode",
        ),
        (
            DISAGG,
            {"decode": "1.2.0"},
            "serving.imageVersions.decode = '1.2.0'\n"
            "  Dynamo supports no KV transfer between releases: this is prefill 1.2.1 and decode 1.2.0\n"
            "  try: the same version for prefill and decode",
        ),
    ],
)
def test_images_that_cannot_work_together_are_refused(
    settings: Settings, versions: dict[str, str], text: str
) -> None:
    assert said(_serving(settings, imageVersions=versions)) == f"Pulumi.dev.yaml: {text}"


@pytest.mark.parametrize(
    ("settings", "versions", "images"),
    [
        (
            ONE_POD,
            {"prefill": "1.2.1-fix.3", "decode": "1.2.1-fix.3"},
            {"frontend": "1.2.1", "worker": "1.2.1-fix.3"},
        ),
        (
            DISAGG,
            {"decode": "1.2.0", "prefill": "1.2.0-ours"},
            {"frontend": "1.2.1", "prefill": "1.2.0-ours", "decode": "1.2.0"},
        ),
        # Another build of the same release.
        (
            DISAGG,
            {"decode": "1.2.1-fix.3"},
            {"frontend": "1.2.1", "prefill": "1.2.1", "decode": "1.2.1-fix.3"},
        ),
    ],
)
def test_a_role_runs_the_build_that_is_typed_for_it(
    settings: Settings, versions: dict[str, str], images: dict[str, str]
) -> None:
    pods = _pods(_serving(settings, imageVersions=versions))
    assert {role: pod["image"].rpartition(":")[2] for role, pod in pods.items()} == images


def test_a_variable_is_set_replaced_and_taken_away_for_one_role() -> None:
    changes = {"decode": {"NCCL_DEBUG": "INFO", "NCCL_GRAPH_REGISTER": "1", "TRTLLM_ENABLE_PDL": None}}
    pods = _pods(_serving(DISAGG, environment=changes))
    decode, prefill = pods["decode"]["env"], pods["prefill"]["env"]
    assert (decode["NCCL_DEBUG"], decode["NCCL_GRAPH_REGISTER"]) == ("INFO", "1")
    assert "TRTLLM_ENABLE_PDL" not in decode
    assert (prefill["NCCL_GRAPH_REGISTER"], prefill["TRTLLM_ENABLE_PDL"]) == ("0", "1")
    assert "NCCL_DEBUG" not in prefill


def test_an_option_takes_the_place_of_the_recipe_s_and_others_stay() -> None:
    changes = {"frontend": ["--migration-limit", "5", "--router-temperature", "0.2"]}
    [command] = _pods(_serving(DISAGG, arguments=changes))["frontend"]["args"]
    assert "--http-port 8000" in command
    assert command.endswith("--migration-limit 5 --router-temperature 0.2")
    assert command.count("--migration-limit") == 1


def test_the_router_s_mode_is_one_setting() -> None:
    [command] = _pods(_serving(AGG, routerMode="least-loaded"))["frontend"]["args"]
    assert "--router-mode least-loaded" in command
    assert "round-robin" not in command


@pytest.mark.parametrize(
    ("serving", "says"),
    [
        ({"routerMode": "kv"}, "kv-router-knows-the-cache"),
        ({"arguments": {"frontend": ["--router-temprature", "0.2"]}}, "--router-temprature"),
    ],
    ids=["a mode that hears of no events", "an option that no release has"],
)
def test_what_no_setting_forbids_is_judged_by_the_rules(serving: dict[str, Any], says: str) -> None:
    found = judge_settings(_serving(AGG, **serving)).findings
    failed = [each for each in found if each.observation.status == "failed"]
    assert any(says in f"{each.rule.id} {each.observation.message}" for each in failed)


@pytest.mark.parametrize(
    ("serving", "key", "meant"),
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
        ({"imageVersions": {"worker": "1.4.2"}}, "imageVersions.worker", "another platform.version"),
    ],
)
def test_what_is_said_elsewhere_is_refused_with_the_place(
    serving: dict[str, Any], key: str, meant: str
) -> None:
    [problem] = problems_of(_serving(AGG, **serving))
    assert problem.key == f"serving.{key}"
    assert meant in str(problem.suggestion)


@pytest.mark.parametrize(
    ("serving", "key", "says"),
    [
        ({"arguments": {"frontend": ["kv"]}}, "arguments.frontend", "the flag first"),
        ({"arguments": {"decode": ["--max-file-size-mb", "1"]}}, "arguments.decode", "no role"),
        ({"environment": {"decode": {"A": "1"}}}, "environment.decode.A", "no role"),
        ({"imageVersions": {"prefill": "1.2.1"}}, "imageVersions.prefill", "no role"),
    ],
)
def test_a_role_that_is_not_there_and_a_value_without_its_flag_are_named(
    serving: dict[str, Any], key: str, says: str
) -> None:
    [problem] = problems_of(_serving(AGG, **serving))
    assert problem.key == f"serving.{key}"
    assert says in problem.message


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
    [problem] = problems_of(_serving(WITHOUT_DYNAMO, **serving))
    assert problem.key == key


def test_a_variable_of_a_server_without_dynamo_is_rendered() -> None:
    changes = {"environment": {"worker": {"NCCL_DEBUG": "INFO"}}}
    placed = resolved(_serving(WITHOUT_DYNAMO, **changes)).serving.placed
    [worker] = placed.workers
    assert process_environment(placed, worker, worker.processes[0])["NCCL_DEBUG"] == "INFO"


@pytest.mark.parametrize(
    ("serving", "says"),
    [
        ({"environment": {"worker": {"A-B": "1"}}}, "a variable's name"),
        ({"environment": {"worker": {"A": 1}}}, "put it in quotes"),
        ({"routerMode": "kvv"}, "try: kv"),
        ({"imageVersions": {"worker": "latest"}}, "a tag that begins with a version"),
        ({"arguments": {"wroker": []}}, "try: worker"),
    ],
)
def test_a_setting_of_the_wrong_form_is_named(serving: dict[str, Any], says: str) -> None:
    assert says in said(_serving(AGG, **serving))
