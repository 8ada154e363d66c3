"""Modes, served names, parsers and ends of start commands."""

from tests.rules.case import Case, failed, undecided
from tests.rules.edits import text
from tests.rules.serving_edits import (
    DECODE,
    FRONTEND,
    GRAPH,
    PREFILL,
    VLLM_ARGS,
    WORKER,
    command,
    runtime,
    variable,
    vllm_argument,
    worker_flags,
)

MODE = "flags-exist"
CRASH = "crash-ends-the-container"
NAME = "prefill-and-decode-agree"
PARSERS = "answer-parsers"
CALLS = "tool-calls-recovered"
BOTH = f"{PREFILL}, {DECODE}"


CASES = (
    Case(
        CALLS,
        "a frontend of the release before calls were recovered",
        "agg-gb200",
        (runtime(FRONTEND, "1.1.1"),),
        failed(CALLS, FRONTEND),
        ("is of Dynamo before 1.3 (image nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.1.1): about half",),
    ),
    Case(
        CALLS,
        "workers without the parser, of which another rule speaks",
        "agg-gb200",
        (command(WORKER, " --dyn-tool-call-parser harmony", ""),),
    ),
    Case(
        NAME,
        "another name, and another model, in SGLang's prefill worker",
        "sglang-disagg",
        (
            text(GRAPH, f"{VLLM_ARGS}[0]", "gpt-oss-120b", "gpt-oss-20b"),
            text(GRAPH, f"{VLLM_ARGS}[1]", "gpt-oss-120b", "gpt-oss-20b"),
        ),
        failed(NAME, "Prefill, Decode") | undecided(NAME, "Prefill, Decode"),
        (
            "Prefill openai/gpt-oss-20b (--served-model-name), Decode openai/gpt-oss-120b",
            "they load different models: Prefill gpt-oss-20b, Decode gpt-oss-120b",
        ),
    ),
    Case(
        MODE,
        "the old word in a release that refuses it",
        "agg-gb200",
        (worker_flags(WORKER, "--disaggregation-mode prefill_and_decode"), runtime(WORKER, "1.4.2")),
        failed(MODE, WORKER),
        ("prefill_and_decode, which dynamo.trtllm does not have: one of agg, pd, prefill",),
    ),
    Case(
        MODE,
        "a build between a release that has the word and one that has not",
        "agg-gb200",
        (worker_flags(WORKER, "--disaggregation-mode agg"), runtime(WORKER, "1.3.0-nemotron-super-dev.1")),
        undecided(MODE, WORKER),
        ("is a build between two releases, and releases differ in this",),
    ),
    Case(
        MODE,
        "a word of its own, in a variable",
        "agg-gb200",
        (variable(WORKER, "DYN_TRTLLM_DISAGGREGATION_MODE", "both"),),
        failed(MODE, WORKER),
        ("DYN_TRTLLM_DISAGGREGATION_MODE is both",),
    ),
    Case(
        CRASH,
        "a wait after a crash",
        "agg-gb200",
        (command(WORKER, "harmony", "harmony || (dmesg; while true; do sleep 60; done)"),),
        failed(CRASH, WORKER),
        ("its start script waits with `while true; do sleep`",),
    ),
    Case(
        CRASH,
        "a pause before the container ends",
        "agg-gb200",
        (command(WORKER, "harmony", "harmony; code=$?; sleep 5; exit $code"),),
    ),
    Case(
        NAME,
        "two names in one graph",
        "disagg-b200",
        (command(PREFILL, '"openai/gpt-oss-120b"', '"gpt-oss-120b"'),),
        failed(NAME, BOTH),
        ("TrtllmPrefillWorker gpt-oss-120b (--served-model-name), TrtllmDecodeWorker openai/gpt-oss-120b",),
    ),
    Case(
        PARSERS,
        "a worker without parsers",
        "agg-gb200",
        (command(WORKER, " --dyn-reasoning-parser gpt_oss --dyn-tool-call-parser harmony", ""),),
        failed(PARSERS, WORKER),
        (
            "serves gpt-oss-120b, whose --dyn-reasoning-parser must be gpt_oss, and has none",
            "whose --dyn-tool-call-parser must be harmony, and has none: tool_calls of an answer stay empty",
        ),
    ),
    Case(
        PARSERS,
        "a parser of another model",
        "vllm-agg",
        (vllm_argument(11, "gpt_oss", "deepseek_r1"),),
        failed(PARSERS, "VllmWorker"),
        ("whose --dyn-reasoning-parser must be gpt_oss, and is deepseek_r1",),
    ),
    Case(
        PARSERS,
        "a parser of tool calls where that of reasoning belongs",
        "vllm-agg",
        (vllm_argument(11, "gpt_oss", "harmony"),),
        failed(PARSERS, "VllmWorker"),
        ("whose --dyn-reasoning-parser must be gpt_oss, and is harmony",),
    ),
    Case(
        "flags-exist",
        "a parser that its release does not have",
        "vllm-agg",
        (vllm_argument(11, "gpt_oss", "harmony"),),
        failed("flags-exist", "VllmWorker"),
        ("--dyn-reasoning-parser is harmony, which dynamo.vllm 1.2 does not take: one of",),
    ),
    Case(
        PARSERS,
        "parsers in variables",
        "agg-gb200",
        (
            command(WORKER, " --dyn-reasoning-parser gpt_oss --dyn-tool-call-parser harmony", ""),
            variable(WORKER, "DYN_REASONING_PARSER", "gpt_oss"),
            variable(WORKER, "DYN_TOOL_CALL_PARSER", "harmony"),
        ),
    ),
)
