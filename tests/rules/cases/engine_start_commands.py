"""Commands that a shell or Kubernetes makes something else of than was written."""

from tests.rules.case import Case, failed
from tests.rules.edits import add, drop, put, text
from tests.rules.serving_edits import DECODE, command

RUNS = "start-command-runs"
DOWNLOAD = "Job/model-download"
_SERVER = "spec.template.spec.containers[0]"
_SCRIPT = f"{_SERVER}.args[0]"
PUBLISHED = "published-disagg"

CASES = (
    Case(
        RUNS,
        "a quotation mark that nothing closes",
        PUBLISHED,
        (command(DECODE, "python3 -m", "echo 'starting; python3 -m"),),
        failed(RUNS, DECODE),
        ("the start script opens a quotation mark that nothing closes, before 'starting; python3 -m",),
    ),
    Case(
        RUNS,
        "a loop without an end",
        PUBLISHED,
        (command(DECODE, "python3 -m", "for i in 1 2 3; do\nsleep $i\npython3 -m"),),
        failed(RUNS, DECODE),
        ("the start script begins a loop or a branch that no done or fi ends",),
    ),
    Case(
        RUNS,
        "an end without a branch",
        PUBLISHED,
        (command(DECODE, "python3 -m", "test -f /a\nthen sleep 1; fi\npython3 -m"),),
        failed(RUNS, DECODE),
        ("the start script has a done or a fi of no loop and no branch",),
    ),
    Case(
        RUNS,
        "branches, loops and brackets that are whole",
        PUBLISHED,
        (
            command(
                DECODE,
                "python3 -m",
                "wait() {\n  if [ -f /a ]; then (sleep 1); fi\n}\n"
                "time for ((i=0; i<3; i++)); do if (true); then wait; fi; done\n"
                'until [[ "$HOSTNAME" =~ ^(a|b)$ ]]; do break; done\n'
                "if [[ $HOSTNAME =~ ^(a|b)$ ]]; then wait; fi\npython3 -m",
            ),
        ),
    ),
    Case(
        RUNS,
        "a script of one word, and the words behind it",
        "vllm-serve",
        (put("Deployment", f"{_SERVER}.command", ["/bin/sh", "-c", "vllm"]),),
        failed(RUNS, "engine"),
        ("hands /bin/sh -c the script 'vllm' alone",),
    ),
    Case(
        RUNS,
        "a shell without -c",
        "trtllm-serve",
        (
            put("Deployment", f"{_SERVER}.command", ["/bin/sh"]),
            put("Deployment", f"{_SERVER}.args", ["trtllm-serve openai/gpt-oss-120b"]),
        ),
        failed(RUNS, "engine"),
        ("starts /bin/sh without -c: the shell looks for a file named 'trtllm-serve openai/gpt-oss-120b'",),
    ),
    Case(
        RUNS,
        "a reference to a variable that nothing sets",
        "vllm-serve",
        (
            add("Deployment", f"{_SERVER}.args", "--seed=$(SEED)"),
            add("Deployment", f"{_SERVER}.args", "--port=$(VLLM_SERVICE_PORT) $$(LATER) $(POD_NAME)"),
        ),
        failed(RUNS, "engine"),
        ("its command has $(SEED), which nothing sets and the program is given as it stands",),
    ),
    Case(
        RUNS,
        "a reference in a patch, whose object sets the variable",
        "vllm-serve",
        (
            add("Deployment", f"{_SERVER}.args", "--seed=$(SEED)"),
            drop("Deployment", f"{_SERVER}.image"),
        ),
    ),
    Case(
        RUNS,
        "a slip in the hub's download",
        "agg-gb200",
        (text(DOWNLOAD, _SCRIPT, "hf download", "hf donwload --revison=main"),),
        failed(RUNS, "download"),
        (
            "donwload is nothing that the hub's command line has; the nearest is download",
            "--revison is nothing that the hub's command line has; the nearest is --revision",
        ),
    ),
)
