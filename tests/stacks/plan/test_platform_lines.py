"""Every recipe on every line of the platform that it names: its images, words, variables and rules."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from engines.release import line_name
from recipes.graph_manifest import graph_spec
from recipes.load import load_recipe, parse_recipe, recipe_file, recipe_names
from stacks.errors import SettingsError
from stacks.plan.resolve import resolve
from stacks.plan.stack_plan import StackPlan
from stacks.plan.versions import PLATFORM_RELEASES
from stacks.settings.load import parse_settings
from tests.rules.case import judge_settings
from tests.stacks.changed_settings import Settings, changed, said
from tests.support.dev_settings import FILE, existing_cluster_settings, resolved
from tests.support.graph_pods import mains_by_type

VLLM, AGGREGATED, SPLIT = (f"gpt-oss-120b/{name}" for name in ("vllm-agg", "trtllm-agg", "trtllm-disagg"))
HOPPER, ONE_POD = "gpt-oss-120b/vllm-disagg", "gpt-oss-120b/trtllm-disagg-8gpu"
ON_EVERY_LINE = pytest.mark.parametrize(
    ("name", "version"),
    [
        pytest.param(name, version, id=f"{name} on {version}")
        for name in recipe_names()
        for version in PLATFORM_RELEASES
        if line_name(version) in load_recipe(name).runtime.platform_lines
    ],
)
FIRST = "1.2.1"
LATER = "1.4.2"


def _settings(name: str, version: str, **serving: Any) -> Settings:
    """The recipe on one machine with GPUs that it is made for, on a release of the platform."""
    machine = "p5.48xlarge" if name == HOPPER else "p6-b200.48xlarge"
    over = {"kvTransport": "tcp"} if name == SPLIT else {}
    pools = [{"name": "gpus", "instanceType": machine, "nodes": 1}]
    settings = existing_cluster_settings({"recipe": name, "pool": "gpus", **over, **serving}, pools)
    return changed(settings, {"platform.version": version})


def _containers(settings: Settings) -> dict[str, dict[str, Any]]:
    return mains_by_type(graph_spec(resolved(settings).serving.placed))


@ON_EVERY_LINE
def test_a_recipe_breaks_no_rule_on_a_line_that_it_names(name: str, version: str) -> None:
    found = judge_settings(_settings(name, version)).findings
    failed = [each for each in found if each.observation.status == "failed"]
    assert [each.rule.id for each in failed if each.severity.value == "mandatory"] == []


@ON_EVERY_LINE
def test_every_pod_runs_the_image_of_the_platform_s_line_and_sends_events_through_nats(
    name: str, version: str
) -> None:
    for container in _containers(_settings(name, version)).values():
        assert container["image"] == f"{load_recipe(name).runtime.image}:{version}"
        # What 1.2 does by default is not written: an update of this project restarts no pod for it.
        assert container["env"].get("DYN_EVENT_PLANE") == (None if version == FIRST else "nats")


def test_a_frontend_of_a_later_line_finishes_its_answers_before_it_ends() -> None:
    seconds = _containers(_settings(VLLM, LATER))["frontend"]["env"]
    # 120 s of the pod less the pause of 10 and 30 for the rest.
    assert seconds["DYN_HTTP_GRACEFUL_SHUTDOWN_TIMEOUT_SECS"] == "80"


@pytest.mark.parametrize(
    ("version", "option"), [(FIRST, "--publish-events-and-metrics"), (LATER, "--publish-kv-events")]
)
def test_options_are_in_the_words_of_the_line_and_the_one_for_both_roles_is_never_written(
    version: str, option: str
) -> None:
    asked = {"arguments": {"worker": ["--publish-kv-events"]}}
    [command] = _containers(_settings(AGGREGATED, version, **asked))["worker"]["args"]
    assert option in command.split()
    # The mode for both is called prefill_and_decode in 1.2 and agg later, and each refuses the other's.
    assert "--disaggregation-mode" not in command
    split = _containers(_settings(SPLIT, version))
    assert "--disaggregation-mode prefill" in split["prefill"]["args"][0]


def test_vllm_of_a_later_line_is_told_the_format_of_activations_by_an_option() -> None:
    worker = _containers(_settings(VLLM, LATER))["worker"]
    assert "--quantization-config" in worker["args"][0]
    assert not any(name.startswith("VLLM_USE_FLASHINFER") for name in worker["env"])


def test_a_recipe_on_a_line_that_it_does_not_name_is_refused_with_its_lines_and_what_to_do() -> None:
    assert said(_settings(ONE_POD, LATER)) == (
        "Pulumi.dev.yaml: platform.version = '1.4.2'\n"
        f"  recipe {ONE_POD} stands on platform 1.2, not on this one: nothing is known of its engine's "
        "options there\n"
        '  allowed: "1.2.1"\n'
        "  try: one of these, or a recipe that stands on this one (`dynamo-stack list`)"
    )


def test_an_existing_platform_of_another_line_chooses_the_image_as_well() -> None:
    existing = {"platform": {"kind": "existing", "version": LATER}}
    assert _containers(_settings(VLLM, FIRST) | existing)["worker"]["image"].endswith(f"vllm-runtime:{LATER}")


def _own(folder: Path, changes: dict[str, Any]) -> StackPlan:
    """The plan of a stack that serves a copy of a recipe with changes, on the later release."""
    document = yaml.safe_load(recipe_file(VLLM).read_text(encoding="utf-8"))
    copied = changed(document, {"name": "mine"}, changes)
    (folder / "mine.yaml").write_text(yaml.safe_dump(copied))
    settings = changed(_settings(VLLM, LATER), {"serving.recipe": "mine", "serving.recipeFolder": "."})
    return resolve("dev", parse_settings(settings, FILE), FILE, folder)


def test_a_recipe_of_one_s_own_for_other_lines_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as raised:
        _own(tmp_path, {"runtime.version": "1.3.1", "runtime.platformLines": ["1.3"]})
    [problem] = raised.value.problems[FILE]
    assert "stands on platform 1.3, not on this one" in problem.message


@pytest.mark.parametrize(
    ("runtime", "text"),
    [
        ({"platformLines": []}, "runtime.platformLines is missing"),
        ({"platformLines": ["1.2", "1.2"]}, "from the oldest line to the newest, each once"),
        ({"version": "1.3.1"}, "runtime.version 1.3.1 is of platform 1.3, which runtime.platformLines"),
        ({"platformLines": ["1.x"]}, "platformLines"),
        ({"platformLines": ["1.4", "1.2"]}, "(1.4, 1.2)"),
    ],
)
def test_lines_and_images_that_contradict_each_other_are_refused(runtime: dict[str, Any], text: str) -> None:
    document = yaml.safe_load(recipe_file(VLLM).read_text(encoding="utf-8"))
    document["runtime"] |= runtime
    with pytest.raises(ValidationError) as raised:
        parse_recipe(yaml.safe_dump(document))
    assert text in str(raised.value)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (AGGREGATED, "1.4"),
        # Nothing is known of its engine's options there.
        (HOPPER, "1.2"),
        ("gpt-oss-120b/trtllm-max-throughput", None),
    ],
)
def test_a_new_stack_begins_on_the_newest_line_of_its_recipe(name: str, line: str | None) -> None:
    assert load_recipe(name).runtime.line_of_new_stacks == line
