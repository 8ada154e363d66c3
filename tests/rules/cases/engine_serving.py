"""Modes, served names, parsers and ends of start commands."""

from tests.rules.case import On
from tests.rules.edits import text
from tests.rules.names import DECODE, FRONTEND, GRAPH, PREFILL, VLLM_ARGS, WORKER
from tests.rules.serving_edits import command, runtime, variable, vllm_argument, worker_flags

MODE = "flags-exist"
PARSERS = "answer-parsers"

CASES = (
    On("tool-calls-recovered", "agg-gb200", FRONTEND).fails(
        "a frontend of the release before calls were recovered",
        "is of Dynamo before 1.3 (image nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime:1.1.1): about half",
        runtime(FRONTEND, "1.1.1"),
    ),
    On("tool-calls-recovered", "agg-gb200").passes(
        "workers without the parser, another's matter", command(WORKER, " --dyn-tool-call-parser harmony", "")
    ),
    On("prefill-and-decode-agree", "sglang-disagg", "Prefill, Decode").fails(
        "another name, and another model, in SGLang's prefill worker",
        "Prefill openai/gpt-oss-20b (--served-model-name), Decode openai/gpt-oss-120b",
        "they load different models: Prefill gpt-oss-20b, Decode gpt-oss-120b",
        text(GRAPH, f"{VLLM_ARGS}[0]", "gpt-oss-120b", "gpt-oss-20b"),
        text(GRAPH, f"{VLLM_ARGS}[1]", "gpt-oss-120b", "gpt-oss-20b"),
        undecided_for=("Prefill, Decode",),
    ),
    On(MODE, "agg-gb200", WORKER).fails(
        "the old word in a release that refuses it",
        "prefill_and_decode, which dynamo.trtllm does not have: one of agg, pd, prefill",
        worker_flags(WORKER, "--disaggregation-mode prefill_and_decode"),
        runtime(WORKER, "1.4.2"),
    ),
    On(MODE, "agg-gb200", WORKER).is_undecided(
        "a build between a release that has the word and one that has not",
        "is a build between two releases, and releases differ in this",
        worker_flags(WORKER, "--disaggregation-mode agg"),
        runtime(WORKER, "1.3.0-nemotron-super-dev.1"),
    ),
    On(MODE, "agg-gb200", WORKER).fails(
        "a word of its own, in a variable",
        "DYN_TRTLLM_DISAGGREGATION_MODE is both",
        variable(WORKER, "DYN_TRTLLM_DISAGGREGATION_MODE", "both"),
    ),
    On("crash-ends-the-container", "agg-gb200").passes(
        "a pause before the end", command(WORKER, "harmony", "harmony; code=$?; sleep 5; exit $code")
    ),
    On("prefill-and-decode-agree", "disagg-b200", f"{PREFILL}, {DECODE}").fails(
        "two names in one graph",
        "TrtllmPrefillWorker gpt-oss-120b (--served-model-name), TrtllmDecodeWorker openai/gpt-oss-120b",
        command(PREFILL, '"openai/gpt-oss-120b"', '"gpt-oss-120b"'),
    ),
    On(PARSERS, "vllm-agg", "VllmWorker").fails(
        "a parser of another model",
        "whose --dyn-reasoning-parser must be gpt_oss, and is deepseek_r1",
        vllm_argument(11, "gpt_oss", "deepseek_r1"),
    ),
    On(PARSERS, "vllm-agg", "VllmWorker").fails(
        "a parser of tool calls where that of reasoning belongs",
        "whose --dyn-reasoning-parser must be gpt_oss, and is harmony",
        vllm_argument(11, "gpt_oss", "harmony"),
    ),
    On("flags-exist", "vllm-agg", "VllmWorker").fails(
        "a parser that its release does not have",
        "--dyn-reasoning-parser is harmony, which dynamo.vllm 1.2 does not take: one of",
        vllm_argument(11, "gpt_oss", "harmony"),
    ),
    On(PARSERS, "agg-gb200").passes(
        "parsers in variables",
        command(WORKER, " --dyn-reasoning-parser gpt_oss --dyn-tool-call-parser harmony", ""),
        variable(WORKER, "DYN_REASONING_PARSER", "gpt_oss"),
        variable(WORKER, "DYN_TOOL_CALL_PARSER", "harmony"),
    ),
)
