"""Command lines of vLLM's workers as rendered, read by the parser of the wheel's own dynamo.vllm.

vLLM's part of the parser is a stand-in with the options that vllm 0.20.1 publishes
(lab/runtime_image/site/vllm_options.py).
"""

from __future__ import annotations

import json
import shlex
import subprocess
from typing import Any

import pytest

from engines.vllm.engine import Vllm
from engines.vllm.options import VllmOptions
from lab.runtime_image import SITE
from lab.toolchain.build import cache_directory
from lab.toolchain.runtime import RUNTIME
from recipes.graph_manifest import graph_spec
from tests.support.dev_settings import resolved
from tests.support.graph_pods import main_of, pods_of
from tests.support.vllm_settings import DRAFT, overridden_settings
from tests.support.worker_starts import worker_start

pytestmark = pytest.mark.lab

DEADLINE_SECONDS = 120
EAGLE = {"method": "eagle3", "model": DRAFT, "num_speculative_tokens": 3}
NIXL = {"kv_connector": "NixlConnector", "kv_role": "kv_both"}
READ = """
import json, sys
from dynamo.vllm.args import parse_args
config = parse_args(json.loads(sys.argv[1]))
given = {name: getattr(value, "__dict__", value) for name, value in vars(config.engine_args).items()}
print(json.dumps({
    "engine": {name: value for name, value in given.items() if value is not None},
    "served": config.served_model_name, "mode": config.disaggregation_mode.value,
    "component": config.component, "events": config.use_kv_events,
    "parsers": [config.dyn_reasoning_parser, config.dyn_tool_call_parser],
}))
"""


def _parsed(words: list[str], **variables: str) -> subprocess.CompletedProcess[str]:
    python = RUNTIME.install_missing(cache_directory(), print)
    return subprocess.run(
        [python, "-c", READ, json.dumps(words)],
        env={"PYTHONPATH": str(SITE), "VLLM_NIXL_SIDE_CHANNEL_HOST": "127.0.0.1", **variables},
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )


def _read(command: str) -> dict[str, Any]:
    words = shlex.split(command)
    flags = words[words.index("dynamo.vllm") + 1 :]
    done = _parsed(flags)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_the_worker_of_a_stack_with_a_draft_model_is_read_as_the_recipe_says() -> None:
    placed = resolved(overridden_settings(speculative_config=EAGLE)).serving.placed
    read = _read(main_of(pods_of(graph_spec(placed, None))["agg"])["args"][0])
    assert (read["mode"], read["component"], read["events"]) == ("agg", "backend", True)
    assert read["served"] == "openai/gpt-oss-120b"
    assert read["parsers"] == ["gpt_oss", "harmony"]
    options: Any = placed.recipe.engine_of("worker")
    engine = read["engine"]
    for name in ("max_num_seqs", "max_num_batched_tokens", "max_model_len", "block_size", "kv_cache_dtype"):
        assert engine[name] == getattr(options, name)
    assert engine["enable_prefix_caching"] is True
    assert engine["speculative_config"]["num_speculative_tokens"] == 3
    assert "Eagle3-v3/snapshots/" in engine["speculative_config"]["model"]
    assert engine["kv_events_config"]["endpoint"] == "tcp://*:20080"


@pytest.mark.parametrize(("role", "component"), [("prefill", "prefill"), ("decode", "backend")])
def test_a_worker_of_either_half_registers_as_that_half(role: Any, component: str) -> None:
    options = VllmOptions.model_validate(
        {"tensor_parallel_size": 4, "max_num_seqs": 256, "kv_transfer_config": NIXL}
    )
    read = _read(Vllm().command_line(options, worker_start(role=role)))
    assert (read["mode"], read["component"]) == (role, component)
    assert read["engine"]["kv_transfer_config"]["kv_connector"] == "NixlConnector"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--max-num-sequs", "3"], "unrecognized arguments: --max-num-sequs"),
        (["--max-num-seqs", "many"], "invalid int value: 'many'"),
        (["--moe-backend", "trtllm"], "invalid choice: 'trtllm'"),
        (["--kv-events-config", '{"enabled": true}'], "unexpected keys: enabled"),
        (["--compilation-config", "{"], "no JSON"),
        (["--dyn-tool-call-parser", "harmoni"], "invalid choice: 'harmoni'"),
        (["--disaggregation-mode", "prefill"], "you must explicitly provide --kv-transfer-config"),
    ],
)
def test_a_mistake_ends_with_the_message_of_the_worker(words: list[str], said: str) -> None:
    done = _parsed(["--model", "/m", *words])
    assert done.returncode != 0
    assert said in done.stderr
