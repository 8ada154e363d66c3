"""Options of start commands, and what a shell or Kubernetes makes of the words."""

from tests.rules.case import On
from tests.rules.edits import add, drop, put
from tests.rules.names import DECODE, FRONTEND, GRAPH, PREFILL, SERVER, SERVER_ARGS, VLLM_MAIN, WORKER
from tests.rules.serving_edits import command, runtime, vllm_argument, worker_flags

FLAGS = "flags-exist"
_NEW_IMAGE = "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.9.0"

RUNS = "start-command-runs"
PUBLISHED = "published-disagg"

CASES = (
    On(FLAGS, "disagg-b200", PREFILL).fails(
        "an option that older guides name",
        "--disaggregation-strategy is no option of dynamo.trtllm 1.2: leave it out",
        worker_flags(PREFILL, "--disaggregation-strategy prefill_first"),
    ),
    On(FLAGS, "agg-gb200", WORKER).fails(
        "an option of a later release",
        "--conversation-affinity is no option of dynamo.trtllm 1.3",
        worker_flags(WORKER, "--conversation-affinity"),
        runtime(WORKER, "1.3.1"),
    ),
    On(FLAGS, "vllm-agg", "VllmWorker").is_undecided(
        "an option of a release that nobody read",
        "--brand-new is no option of dynamo.vllm in any release that was read",
        f"whether image {_NEW_IMAGE}",
        put(GRAPH, f"{VLLM_MAIN}.image", _NEW_IMAGE),
        vllm_argument(9, "--enable-prefix-caching", "--brand-new"),
    ),
    On(FLAGS, "vllm-agg").passes(
        "underscores, a key of a JSON option and a short name of vLLM",
        vllm_argument(9, "--enable-prefix-caching", "--enable_prefix_caching"),
        add(GRAPH, f"{VLLM_MAIN}.args", "--compilation-config.cudagraph_mode=FULL"),
        add(GRAPH, f"{VLLM_MAIN}.args", "-O2"),
    ),
    On("engine-settings-accepted", "vllm-agg", "VllmWorker").fails(
        "no sequence and no node at all, and per cent for a share",
        "--max-num-seqs (--max-num-seqs) is 0, and vLLM takes 1 or more",
        add(GRAPH, f"{VLLM_MAIN}.args", "--max-num-seqs=0"),
        "--nnodes (--nnodes) is -1, and vLLM takes 1 or more",
        add(GRAPH, f"{VLLM_MAIN}.args", "-n=-1"),
        "--data-parallel-size (--data-parallel-size) is 0, and vLLM takes 1 or more",
        add(GRAPH, f"{VLLM_MAIN}.args", "-dp=0"),
        "--gpu-memory-utilization (--gpu-memory-utilization) is 90, not a share of the memory",
        vllm_argument(7, "0.9", "90"),
    ),
    On(FLAGS, "trtllm-serve", "engine").fails(
        "dashes and an older option of trtllm-serve",
        "--enable-chunked-prefill is no option of trtllm-serve: write --enable_chunked_prefill",
        "--moe_backend is no option of trtllm-serve: write moe_config.backend in the engine file",
        add("Deployment/trtllm-serve", SERVER_ARGS, "--enable-chunked-prefill"),
        add("Deployment/trtllm-serve", SERVER_ARGS, "--moe_backend=CUTLASS"),
    ),
    On(FLAGS, "agg-gb200").passes(
        "switches that are turned off, short names and settings of the engine",
        worker_flags(WORKER, "--no-frontend-decoding --publish-events --trtllm.print_iter_log true"),
        command(FRONTEND, "--http-port 8000", "--http-port 8000 --no-router-kv-events -i"),
    ),
    On(RUNS, PUBLISHED, DECODE).fails(
        "a quotation mark that nothing closes",
        "the start script opens a quotation mark that nothing closes, before 'starting; python3 -m",
        command(DECODE, "python3 -m", "echo 'starting; python3 -m"),
    ),
    On(RUNS, PUBLISHED, DECODE).fails(
        "a loop without an end",
        "the start script begins a loop or a branch that no done or fi ends",
        command(DECODE, "python3 -m", "for i in 1 2 3; do\nsleep $i\npython3 -m"),
    ),
    On(RUNS, PUBLISHED, DECODE).fails(
        "an end without a branch",
        "the start script has a done or a fi of no loop and no branch",
        command(DECODE, "python3 -m", "test -f /a\nthen sleep 1; fi\npython3 -m"),
    ),
    On(RUNS, PUBLISHED).passes(
        "branches, loops and brackets that are whole",
        command(
            DECODE,
            "python3 -m",
            "wait() {\n  if [ -f /a ]; then (sleep 1); fi\n}\n"
            "time for ((i=0; i<3; i++)); do if (true); then wait; fi; done\n"
            'until [[ "$HOSTNAME" =~ ^(a|b)$ ]]; do break; done\n'
            "if [[ $HOSTNAME =~ ^(a|b)$ ]]; then wait; fi\npython3 -m",
        ),
    ),
    On(RUNS, "vllm-serve", "engine").fails(
        "a script of one word, and the words behind it",
        "hands /bin/sh -c the script 'vllm' alone: of 'serve openai/gpt-oss-120b' behind it",
        put("Deployment", f"{SERVER}.command", ["/bin/sh", "-c", "vllm"]),
        put("Deployment", f"{SERVER}.args", ["serve", "openai/gpt-oss-120b"]),
    ),
    On(RUNS, "vllm-serve").passes(
        "a script, and the name that the shell's messages begin with",
        put("Deployment", f"{SERVER}.command", ["/bin/sh", "-c", "vllm serve openai/gpt-oss-120b"]),
        put("Deployment", f"{SERVER}.args", ["engine"]),
    ),
    On(RUNS, "trtllm-serve", "engine").fails(
        "a shell without -c",
        "starts /bin/sh without -c: the shell looks for a file named 'trtllm-serve openai/gpt-oss-120b'",
        put("Deployment", f"{SERVER}.command", ["/bin/sh"]),
        put("Deployment", f"{SERVER}.args", ["trtllm-serve openai/gpt-oss-120b"]),
    ),
    On(RUNS, "vllm-serve", "engine").fails(
        "a reference to a variable that nothing sets",
        "its command has $(SEED), which nothing sets and the program is given as it stands",
        add("Deployment", f"{SERVER}.args", "--seed=$(SEED)"),
        add("Deployment", f"{SERVER}.args", "--port=$(VLLM_SERVICE_PORT) $$(LATER) $(POD_NAME)"),
        add("Deployment", f"{SERVER}.args", "--served-model-name=rank-$(JOB_COMPLETION_INDEX)"),
    ),
    On(RUNS, "vllm-serve").passes(
        "a reference in a patch, whose object sets the variable",
        add("Deployment", f"{SERVER}.args", "--seed=$(SEED)"),
        drop("Deployment", f"{SERVER}.image"),
    ),
)
