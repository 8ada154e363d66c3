"""Command lines of workers as rendered, read by the parsers of the wheels' own dynamo.trtllm and dynamo.vllm.

vLLM's part of the parser is a stand-in with the options that vLLM publishes
(lab/runtime_image/site/vllm_options.py).
"""

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from engines.release import RUNTIME_TAGS, line_name
from lab.directory import REPOSITORY
from lab.runtime_image import SITE
from lab.toolchain.build import cache_directory
from lab.toolchain.packages import PublishedProgram
from lab.toolchain.runtime import LATER_RUNTIMES, RUNTIME
from recipes.graph_manifest import graph_spec
from recipes.load import load_recipe
from recipes.placed import PlacedRecipe
from stacks.plan.resolve import resolve
from stacks.settings.load import parse_settings
from tests.support.dev_settings import resolved
from tests.support.graph_pods import main_of, pods_of
from tests.support.shipped_stacks import served_settings, served_stack
from tests.support.vllm_settings import DRAFT, overridden_settings

pytestmark = pytest.mark.lab

DEADLINE_SECONDS = 120
MODEL = "openai/gpt-oss-120b"
PREFILL, DECODE = ("trtllm", "prefill", "prefill"), ("trtllm", "decode", "tensorrt_llm")
LATER_DECODE = ("trtllm", "decode", "backend")
"""From 1.3 on."""
VLLM = ("vllm", "agg", "backend")
WORKERS = {
    "agg-b200": [("trtllm", "prefill_and_decode", "tensorrt_llm")],
    "agg-gb200": [("trtllm", "prefill_and_decode", "tensorrt_llm")],
    "dev": [PREFILL, DECODE],
    "disagg-b200": [PREFILL] * 4 + [LATER_DECODE] * 2,
    "disagg-b200-tcp": [PREFILL, DECODE],
    "disagg-b200-8gpu": [PREFILL, DECODE],
    "disagg-gb200": [PREFILL] * 2 + [LATER_DECODE],
    "disagg-gb200-two-trays": [PREFILL, DECODE],
    "vllm-agg-b200": [VLLM],
    "vllm-agg-h200": [VLLM],
    "vllm-disagg-h100": [("vllm", "prefill", "prefill"), ("vllm", "decode", "backend")],
}
"""Stack -> engine, mode and component of each kind of worker."""
ENGINE_ALONE = {"latency-b200", "throughput-gb200", "throughput-h200"}
"""They start trtllm-serve, which is in the image alone."""
READ = """
import importlib, json, sys
for module, words in json.load(sys.stdin):
    config = importlib.import_module(f"{module}.args").parse_args(words)
    given = vars(config.engine_args) if hasattr(config, "engine_args") else {}
    options = {name: getattr(value, "__dict__", value) for name, value in given.items()}
    print(json.dumps({
        "engine": {name: value for name, value in options.items() if value is not None},
        "model": config.model, "served": config.served_model_name, "mode": config.disaggregation_mode.value,
        "component": config.component, "file": getattr(config, "extra_engine_args", None),
        "events": getattr(config, "use_kv_events", None),
        "parsers": [config.dyn_reasoning_parser, config.dyn_tool_call_parser],
    }))
"""
Words = tuple[str, list[str]]
"""A module of the runtime and the words behind its name."""


def _parsed(*commands: Words, runtime: PublishedProgram = RUNTIME) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [runtime.install_missing(cache_directory(), print), "-c", READ],
        env={"PYTHONPATH": str(SITE), "VLLM_NIXL_SIDE_CHANNEL_HOST": "127.0.0.1"},
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )


def _read(*commands: Words, runtime: PublishedProgram = RUNTIME) -> list[dict[str, Any]]:
    done = _parsed(*commands, runtime=runtime)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def _typed(placed: PlacedRecipe, folder: Path) -> list[Words]:
    """What a shell makes of the workers' commands, told by a `python3` that says how it was called."""
    python = folder / "python3"
    python.write_text('#!/bin/sh\nprintf "%s\\0" "$@"\n')
    python.chmod(0o755)
    found: list[Words] = []
    for pod in pods_of(graph_spec(placed)).values():
        main = main_of(pod)
        for line in main["args"]:
            if "python3 -m dynamo." in line and pod["type"] != "frontend":
                variables = main["env"] | {"PATH": str(folder)}
                told = subprocess.run(["/bin/sh", "-c", line], env=variables, capture_output=True, check=True)
                _, module, *words = told.stdout.decode().rstrip("\0").split("\0")
                found.append((module, words))
    return found


def _runtime(stack: str) -> PublishedProgram:
    """The runtime of the stack's line."""
    line = line_name(served_settings(stack)["platform"]["version"])
    return LATER_RUNTIMES.get(line, RUNTIME)


def test_the_parsers_take_the_workers_of_every_shipped_stack(tmp_path: Path) -> None:
    assert {
        file.suffixes[0][1:] for file in REPOSITORY.glob("Pulumi.*.yaml")
    } == WORKERS.keys() | ENGINE_ALONE
    expected = [(stack, *each) for stack, workers in WORKERS.items() for each in workers]
    placed = {stack: served_stack(stack).serving.placed for stack in WORKERS}
    typed = [(stack, each) for stack in WORKERS for each in _typed(placed[stack], tmp_path)]
    read = [
        each
        for stack in WORKERS
        for each in _read(*(words for of, words in typed if of == stack), runtime=_runtime(stack))
    ]
    assert [
        (stack, module.removeprefix("dynamo."), each["mode"], each["component"])
        for (stack, (module, _)), each in zip(typed, read, strict=True)
    ] == expected
    for (stack, (module, _)), each in zip(typed, read, strict=True):
        assert each["served"] == MODEL, stack
        assert "/snapshots/" in each["model"], stack
        assert each["parsers"] == ["gpt_oss", "harmony"], stack
        role = each["mode"] if each["mode"] in {"prefill", "decode"} else "worker"
        file = None if module == "dynamo.vllm" else f"/opt/dynamo/configs/{role}.yaml"
        assert each["file"] == file, stack


def test_the_parsers_of_a_later_line_take_the_workers_of_every_recipe_that_names_it(tmp_path: Path) -> None:
    for line, runtime in LATER_RUNTIMES.items():
        typed: list[Words] = []
        for stack in WORKERS:
            settings = served_settings(stack)
            if line in load_recipe(settings["serving"]["recipe"]).runtime.platform_lines:
                settings["platform"]["version"] = RUNTIME_TAGS[line]
                plan = resolve(stack, parse_settings(settings, stack), stack)
                typed += _typed(plan.serving.placed, tmp_path)
        assert {module for module, _ in typed} == {"dynamo.trtllm", "dynamo.vllm"}
        for read in _read(*typed, runtime=runtime):
            assert read["component"] == ("prefill" if read["mode"] == "prefill" else "backend")
            assert read["parsers"] == ["gpt_oss", "harmony"]


def test_the_worker_of_a_stack_with_a_draft_model_is_read_as_the_recipe_says(tmp_path: Path) -> None:
    eagle = {"method": "eagle3", "model": DRAFT, "num_speculative_tokens": 3}
    placed = resolved(overridden_settings(speculative_config=eagle)).serving.placed
    [read] = _read(*_typed(placed, tmp_path))
    options: Any = placed.recipe.engine_of("worker")
    engine = read["engine"]
    for name in ("max_num_seqs", "max_num_batched_tokens", "max_model_len", "block_size", "kv_cache_dtype"):
        assert engine[name] == getattr(options, name)
    assert read["events"] is True
    assert engine["enable_prefix_caching"] is True
    assert engine["speculative_config"]["num_speculative_tokens"] == 3
    assert "Eagle3-v3/snapshots/" in engine["speculative_config"]["model"]
    assert engine["kv_events_config"]["endpoint"] == "tcp://*:20080"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("trtllm --disaggregation-strategy decode", "Unrecognized argument: --disaggregation-strategy"),
        ("trtllm --model-path /m --dyn-tool-call-parser harmoni", "invalid choice: 'harmoni' (choose from "),
        ("vllm --model /m --max-num-sequs 3", "unrecognized arguments: --max-num-sequs"),
        ("vllm --model /m --max-num-seqs many", "invalid int value: 'many'"),
        ("vllm --model /m --moe-backend trtllm", "invalid choice: 'trtllm'"),
        ("vllm --model /m --kv-events-config '{\"enabled\": true}'", "unexpected keys: enabled"),
        ("vllm --model /m --compilation-config {", "no JSON"),
        ("vllm --model /m --dyn-tool-call-parser harmoni", "invalid choice: 'harmoni'"),
        ("vllm --model /m --disaggregation-mode prefill", "you must explicitly provide --kv-transfer-config"),
    ],
)  # fmt: skip
def test_a_mistake_ends_with_the_message_of_the_worker(words: str, said: str) -> None:
    engine, *flags = shlex.split(words)
    done = _parsed((f"dynamo.{engine}", flags))
    assert done.returncode != 0
    assert said in done.stderr
