"""Every recipe on every line of the platform that it names: its images, words, variables and rules."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from recipes.graph_manifest import graph_spec
from recipes.load import load_recipe, parse_recipe, recipe_file, recipe_names
from rules.model import Status
from stacks.errors import SettingsError
from stacks.plan.resolve import resolve
from stacks.plan.versions import PLATFORM_RELEASES
from stacks.settings.load import parse_settings
from tests.rules.case import judge_settings
from tests.support.dev_settings import FILE, existing_cluster_settings, problems_of, resolved

VLLM, AGGREGATED, SPLIT = (f"gpt-oss-120b/{name}" for name in ("vllm-agg", "trtllm-agg", "trtllm-disagg"))
HOPPER, ONE_POD = "gpt-oss-120b/vllm-disagg", "gpt-oss-120b/trtllm-disagg-8gpu"
ON_EVERY_LINE = [
    pytest.param(name, version, id=f"{name} on {version}")
    for name in recipe_names()
    for version, release in PLATFORM_RELEASES.items()
    if release.line in load_recipe(name).runtime.platform_lines
]
LATER = ("1.4.2",)


def _settings(name: str, version: str, **serving: Any) -> dict[str, Any]:
    """The recipe on one machine with GPUs that it is made for, on a release of the platform."""
    machine = "p5.48xlarge" if name == HOPPER else "p6-b200.48xlarge"
    if name == SPLIT:
        serving["kvTransport"] = "tcp"
    pools = [{"name": "gpus", "instanceType": machine, "nodes": 1}]
    settings = existing_cluster_settings({"recipe": name, "pool": "gpus", **serving}, pools)
    settings["platform"]["version"] = version
    return settings


def _containers(settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The main container of each component, by the component's type."""
    components = graph_spec(resolved(settings).serving.placed, "engine")["components"]
    return {each["type"]: each["podTemplate"]["spec"]["containers"][0] for each in components}


def _variables(container: dict[str, Any]) -> dict[str, str]:
    return {variable["name"]: variable["value"] for variable in container["env"]}


@pytest.mark.parametrize(("name", "version"), ON_EVERY_LINE)
def test_a_recipe_breaks_no_rule_on_a_line_that_it_names(name: str, version: str) -> None:
    found = judge_settings(_settings(name, version)).findings
    failed = [each for each in found if each.observation.status is Status.FAILED]
    assert [each.rule.id for each in failed if each.severity.value == "mandatory"] == []


@pytest.mark.parametrize(("name", "version"), ON_EVERY_LINE)
def test_every_pod_runs_the_image_of_the_platform_s_line(name: str, version: str) -> None:
    for container in _containers(_settings(name, version)).values():
        assert container["image"] == f"{load_recipe(name).runtime.image}:{version}"


@pytest.mark.parametrize(("name", "version"), ON_EVERY_LINE)
def test_events_go_through_nats_on_every_line(name: str, version: str) -> None:
    for container in _containers(_settings(name, version)).values():
        written = _variables(container).get("DYN_EVENT_PLANE")
        # What 1.2 does by default is not written: an update of this project restarts no pod for it.
        assert written == (None if version == "1.2.1" else "nats")


@pytest.mark.parametrize("version", LATER)
def test_a_frontend_of_a_later_line_finishes_its_answers_before_it_ends(version: str) -> None:
    seconds = _variables(_containers(_settings(VLLM, version))["frontend"])
    # 120 s of the pod less the pause of 10 and 30 for the rest.
    assert seconds["DYN_HTTP_GRACEFUL_SHUTDOWN_TIMEOUT_SECS"] == "80"


@pytest.mark.parametrize(
    ("version", "option"),
    [("1.2.1", "-events-and-metrics"), ("1.4.2", "-kv-events")],
)
def test_kv_events_are_asked_for_in_the_words_of_the_line(version: str, option: str) -> None:
    asked = {"arguments": {"worker": ["--publish-kv-events"]}}
    [command] = _containers(_settings(AGGREGATED, version, **asked))["worker"]["args"]
    assert f"--publish{option}" in command.split()


@pytest.mark.parametrize("version", PLATFORM_RELEASES)
def test_the_word_for_a_worker_that_does_both_is_never_written(version: str) -> None:
    assert "--disaggregation-mode" not in _containers(_settings(AGGREGATED, version))["worker"]["args"][0]
    split = _containers(_settings(SPLIT, version))
    assert "--disaggregation-mode prefill" in split["prefill"]["args"][0]


@pytest.mark.parametrize("version", LATER)
def test_vllm_of_a_later_line_is_told_the_format_of_activations_by_an_option(version: str) -> None:
    worker = _containers(_settings(VLLM, version))["worker"]
    assert "--quantization-config" in worker["args"][0]
    assert not any(name.startswith("VLLM_USE_FLASHINFER") for name in _variables(worker))


def test_a_recipe_on_a_line_that_it_does_not_name_is_refused_with_its_lines_and_what_to_do() -> None:
    [problem] = problems_of(_settings(ONE_POD, "1.4.2"))
    assert (problem.key, problem.value, problem.allowed) == ("platform.version", "1.4.2", '"1.2.1"')
    assert f"recipe {ONE_POD} stands on platform 1.2, not on this one" in problem.message
    assert problem.suggestion == '"1.2.1", or a recipe that stands there (`dynamo-stack list`)'


def test_an_existing_platform_of_another_line_chooses_the_image_as_well() -> None:
    settings = _settings(VLLM, "1.4.2")
    settings["platform"] = {"kind": "existing", "version": "1.4.2"}
    assert _containers(settings)["worker"]["image"].endswith("vllm-runtime:1.4.2")


def _own(tmp_path: Path, **runtime: Any) -> dict[str, Any]:
    """Settings that serve a copy of a recipe whose runtime differs, on 1.4.2."""
    document = yaml.safe_load(recipe_file(VLLM).read_text(encoding="utf-8"))
    document["name"] = "mine"
    document["runtime"] |= runtime
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(document))
    return _settings(VLLM, "1.4.2") | {
        "serving": {"recipe": "mine", "pool": "gpus", "namespace": "gpt-oss", "recipeFolder": "."}
    }


def test_a_recipe_may_name_an_image_of_its_own_for_a_line(tmp_path: Path) -> None:
    settings = _own(tmp_path, otherVersions={"1.4": "1.4.0"})
    stack = resolve("dev", parse_settings(settings, FILE), FILE, tmp_path)
    assert stack.serving.placed.recipe.runtime.version == "1.4.0"


def test_a_recipe_of_lines_that_no_release_is_known_of_is_refused(tmp_path: Path) -> None:
    settings = _own(tmp_path, version="1.3.1", platformLines=["1.3"])
    with pytest.raises(SettingsError) as raised:
        resolve("dev", parse_settings(settings, FILE), FILE, tmp_path)
    [problem] = raised.value.problems[FILE]
    assert "stands on platform 1.3, not on this one" in problem.message
    assert problem.suggestion == "serving.recipe: one for 1.2 or 1.4"


def test_a_service_with_an_image_of_another_line_is_refused(tmp_path: Path) -> None:
    settings = _own(tmp_path)
    file = tmp_path / "mine.yaml"
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    document["services"][1]["imageVersion"] = "1.2.1-fix.3"
    file.write_text(yaml.safe_dump(document))
    with pytest.raises(SettingsError) as raised:
        resolve("dev", parse_settings(settings, FILE), FILE, tmp_path)
    [problem] = raised.value.problems[FILE]
    assert (
        "service agg of recipe mine has an image of its own, 1.2.1-fix.3, of another line" in problem.message
    )
    assert problem.suggestion == '"1.2.1", or no imageVersion in the recipe'


@pytest.mark.parametrize(
    ("runtime", "said"),
    [
        ({"platformLines": []}, "runtime.platformLines is missing"),
        ({"platformLines": ["1.2", "1.2"]}, "from the oldest line to the newest, each once"),
        ({"version": "1.3.1"}, "runtime.version 1.3.1 is of platform 1.3, which runtime.platformLines"),
        ({"otherVersions": {"1.5": "1.5.1"}}, "names 1.5, which runtime.platformLines does not"),
        ({"otherVersions": {"1.2": "1.2.0"}}, "names 1.2, whose image is runtime.version: change that"),
        ({"otherVersions": {"1.4": "1.5.1"}}, "image 1.5.1 is not of platform 1.4"),
        ({"platformLines": ["1.x"]}, "platformLines"),
        ({"platformLines": ["1.4", "1.2"]}, "(1.4, 1.2)"),
    ],
)
def test_lines_and_images_that_contradict_each_other_are_refused(runtime: dict[str, Any], said: str) -> None:
    document = yaml.safe_load(recipe_file(VLLM).read_text(encoding="utf-8"))
    document["runtime"] |= runtime
    with pytest.raises(ValidationError) as raised:
        parse_recipe(yaml.safe_dump(document))
    assert said in str(raised.value)


def test_a_new_stack_begins_on_the_newest_line_of_its_recipe() -> None:
    lines = {name: load_recipe(name).runtime.line_of_new_stacks for name in recipe_names()}
    assert lines["gpt-oss-120b/trtllm-agg"] == "1.4"
    # Nothing is known of its engine's options there.
    assert lines["gpt-oss-120b/vllm-disagg"] == "1.2"
    assert lines["gpt-oss-120b/trtllm-max-throughput"] is None
