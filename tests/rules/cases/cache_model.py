"""Which model everybody means, and whether it can be found without the internet."""

from tests.rules.case import On
from tests.rules.edits import add, document, drop, put, text, variable, without
from tests.rules.names import DOWNLOAD, GRAPH, PREFILL, RUNTIME, SERVER
from tests.rules.serving_edits import main_container

EQUAL = "model-revision-equal"
FRONTEND = "offline-frontend-has-the-model"
WORKER = "offline-worker-finds-the-model"
JOB = "model-download"
_WORKER = "spec.services.TrtllmWorker"
_ENV = f"{_WORKER}.extraPodSpec.mainContainer.env"
_ARGS = f"{_WORKER}.extraPodSpec.mainContainer.args[0]"
_IMAGE = f"{_WORKER}.extraPodSpec.mainContainer.image"
_FRONTEND_MOUNTS = "spec.services.Frontend.extraPodSpec.mainContainer.volumeMounts"
_FRONTEND_ENV = "spec.services.Frontend.extraPodSpec.mainContainer.env"
_SCRIPT = f"{SERVER}.args[0]"
_REVISION = "b5c939de8f754692c1647ca79fbf85e8c1e70f8a"
_OTHER = "0123456789abcdef0123456789abcdef01234567"
_OTHER_SNAPSHOT = f"/opt/models/hub/models--openai--gpt-oss-120b/snapshots/{_OTHER}"
_NAMED = variable(GRAPH, _ENV, "MODEL_PATH", "openai/gpt-oss-120b")
_IN_PYTHON = """pip install huggingface_hub==1.16.4
python3 -c "from huggingface_hub import snapshot_download as s; \\
  s('openai/gpt-oss-20b', ignore_patterns=['metal/*', 'original/*'])"
"""
_WITH_PYTHON = (put(DOWNLOAD, f"{SERVER}.command", ["sh", "-c"]), put(DOWNLOAD, _SCRIPT, _IN_PYTHON))
_OF_ANOTHER = text(DOWNLOAD, _SCRIPT, "download openai/gpt-oss-120b", "download openai/gpt-oss-20b")
_READER = """
apiVersion: v1
kind: Pod
metadata: {{name: reader, namespace: gpt-oss}}
spec:
  containers: [{{name: main, image: busybox}}]
  volumes: [{{name: models, persistentVolumeClaim: {{claimName: {claim}}}}}]
"""

CASES = (
    On(EQUAL, "agg-gb200", "TrtllmWorker", JOB).fails(
        "a download by Python of another model than the workers serve",
        "serves openai/gpt-oss-120b",
        "but model-download downloads openai/gpt-oss-20b alone",
        "downloads openai/gpt-oss-20b in no revision: when the publisher pushes",
        _WITH_PYTHON,
        advises=(JOB,),
    ),
    On(WORKER, "agg-gb200", JOB).fails(
        "a download by Python that may not ask the hub",
        "is to download openai/gpt-oss-20b, and may not ask the hub (HF_HUB_OFFLINE)",
        _WITH_PYTHON,
        variable(DOWNLOAD, f"{SERVER}.env", "HF_HUB_OFFLINE", "1"),
    ),
    On(EQUAL, "agg-gb200", "TrtllmWorker").fails(
        "a download of another model than the workers serve",
        ("serves openai/gpt-oss-120b", "but model-download downloads openai/gpt-oss-20b alone"),
        _OF_ANOTHER,
        document(_READER.format(claim="other")),
    ),
    *(
        On(EQUAL, "agg-gb200", "TrtllmWorker").advises(
            name, "downloads openai/gpt-oss-20b alone", _OF_ANOTHER, edit
        )
        for name, edit in (
            ("another model on somebody else's claim", without("PersistentVolumeClaim/model-cache")),
            ("another model beside a pod that may bring more", document(_READER.format(claim="model-cache"))),
            (
                "another model and a container that fills",
                add(GRAPH, f"{_WORKER}.extraPodSpec.initContainers", {"name": "fill"}),
            ),
        )
    ),
    On(EQUAL, "agg-gb200", "TrtllmWorker").fails(
        "an offline worker that names another repository than the download",
        "serves openai/gpt-oss-120b",
        _OF_ANOTHER,
        _NAMED,
    ),
    On(EQUAL, "agg-gb200", "TrtllmWorker").advises(
        "a worker that asks the hub for another model than the download's",
        "serves openai/gpt-oss-120b in no revision: when the publisher pushes",
        _OF_ANOTHER,
        _NAMED,
        variable(GRAPH, _ENV, "HF_HUB_OFFLINE", None),
    ),
    On(EQUAL, "agg-gb200").passes("an offline worker without a revision beside a download of one", _NAMED),
    On(EQUAL, "agg-gb200", JOB).advises(
        "a download of no revision, by words that are items of the command, and a worker that reads one",
        "downloads openai/gpt-oss-120b in no revision",
        put(DOWNLOAD, f"{SERVER}.command", ["hf", "download", "openai/gpt-oss-120b"]),
        drop(DOWNLOAD, f"{SERVER}.args"),
    ),
    On(EQUAL, "disagg-b200", "gpt-oss-120b-disagg-bench").fails(
        "a tokenizer of another revision than the workers'",
        f"reads revision {_OTHER} of openai/gpt-oss-120b",
        text("Job/gpt-oss-120b-disagg-bench", _SCRIPT, _REVISION, _OTHER),
    ),
    On(EQUAL, "agg-gb200").passes(
        "a download of another model whose script names the one that is served too",
        _OF_ANOTHER,
        text(DOWNLOAD, _SCRIPT, "exec python3", "python3 fetch.py openai/gpt-oss-120b\nexec python3"),
    ),
    On(EQUAL, "agg-gb200", "TrtllmWorker").fails(
        "a worker with another revision than the download's",
        (f"reads revision {_OTHER} of openai/gpt-oss-120b", f"model-download downloads {_REVISION}"),
        variable(GRAPH, _ENV, "MODEL_PATH", _OTHER_SNAPSHOT),
    ),
    On(EQUAL, "disagg-b200", "TrtllmPrefillWorker").fails(
        "prefill and decode with two revisions, and no download",
        f"but TrtllmDecodeWorker reads {_REVISION}",
        without(DOWNLOAD),
        variable(GRAPH, main_container(PREFILL, "env"), "MODEL_PATH", _OTHER_SNAPSHOT),
    ),
    On(FRONTEND, "agg-gb200", "Frontend").fails(
        "an offline frontend without the claim, beside workers that are told not to",
        "may not ask the hub (HF_HUB_OFFLINE) and looks for models in",
        drop(GRAPH, _FRONTEND_MOUNTS),
        put(GRAPH, _IMAGE, f"{RUNTIME}:1.4.2"),
        variable(GRAPH, _ENV, "DYN_SELF_HOST_METADATA", "0"),
    ),
    On(FRONTEND, "agg-gb200", "Frontend").fails(
        "a worker that offers a directory as its name",
        ("has no claim at /opt/models/hub/models--openai--gpt-oss-120b/snapshots/", "(--model-path)"),
        text(GRAPH, _ARGS, '--served-model-name "openai/gpt-oss-120b" ', ""),
        put(GRAPH, f"{_FRONTEND_MOUNTS}[0].mountPath", "/models"),
        variable(GRAPH, _FRONTEND_ENV, "HF_HOME", "/models"),
    ),
    On(FRONTEND, "agg-gb200", "Frontend").advises(
        "a frontend with the claim that asks the hub all the same",
        "although the model's claim is mounted there, HF_HUB_OFFLINE is not 1",
        variable(GRAPH, _FRONTEND_ENV, "HF_HUB_OFFLINE", None),
    ),
    On(FRONTEND, "agg-gb200", "Frontend").advises(
        "a frontend without the claim that asks the hub",
        "at every start: it has neither the model's claim nor HF_HUB_OFFLINE",
        drop(GRAPH, _FRONTEND_MOUNTS),
        variable(GRAPH, _FRONTEND_ENV, "HF_HUB_OFFLINE", None),
    ),
    On(FRONTEND, "agg-gb200").passes(
        "a frontend without the claim, beside workers of 1.2 that hand its files out",
        drop(GRAPH, _FRONTEND_MOUNTS),
        variable(GRAPH, _ENV, "DYN_SELF_HOST_METADATA", "1"),
    ),
    On(FRONTEND, "agg-gb200").passes(
        "a frontend without the claim and workers", drop(GRAPH, _FRONTEND_MOUNTS), drop(GRAPH, _WORKER)
    ),
    On(FRONTEND, "agg-gb200").passes(
        "a worker that offers a directory as its name, which the frontend has",
        text(GRAPH, _ARGS, '--served-model-name "openai/gpt-oss-120b" ', ""),
    ),
    On(FRONTEND, "agg-gb200").passes(
        "a graph that asks the hub by intention",
        drop(GRAPH, _FRONTEND_MOUNTS),
        variable(GRAPH, _FRONTEND_ENV, "HF_HUB_OFFLINE", None),
        variable(GRAPH, _ENV, "HF_HUB_OFFLINE", None),
        _NAMED,
        drop(GRAPH, f"{_WORKER}.extraPodSpec.mainContainer.volumeMounts[1]"),
    ),
    *(
        On(FRONTEND, "agg-gb200", "Frontend").fails(
            f"an offline frontend of {frontend} without the claim, beside workers of {worker}",
            "may not ask the hub (HF_HUB_OFFLINE) and looks for models in",
            drop(GRAPH, _FRONTEND_MOUNTS),
            put(GRAPH, "spec.services.Frontend.extraPodSpec.mainContainer.image", f"{RUNTIME}:{frontend}"),
            put(GRAPH, _IMAGE, f"{RUNTIME}:{worker}"),
        )
        for frontend, worker in (("0.6.1", "1.2.0"), ("1.3.1", "1.3.1"))
    ),
    On(FRONTEND, "agg-gb200").passes(
        "a frontend that may ask the hub, and need not",
        variable(GRAPH, _FRONTEND_ENV, "HF_HUB_OFFLINE", None),
        put(GRAPH, _IMAGE, f"{RUNTIME}:1.4.2"),
    ),
    On(WORKER, "agg-gb200", "TrtllmWorker", JOB).fails(
        "an offline worker that names the repository, and a download that may not ask the hub",
        f"model-download downloads --revision {_REVISION}, which leaves no refs/main",
        _NAMED,
        "is to download openai/gpt-oss-120b, and may not ask the hub (HF_HUB_OFFLINE)",
        variable(DOWNLOAD, f"{SERVER}.env", "HF_HUB_OFFLINE", "1"),
    ),
    On(FRONTEND, "agg-gb200", "Frontend").is_undecided(
        "an offline frontend of a release before those that were read",
        "is older than the releases that were read",
        drop(GRAPH, _FRONTEND_MOUNTS),
        put(GRAPH, "spec.services.Frontend.extraPodSpec.mainContainer.image", f"{RUNTIME}:0.5.1"),
    ),
    On(WORKER, "agg-gb200").passes(
        "an offline worker that names the repository, which a download calls main",
        _NAMED,
        text(DOWNLOAD, _SCRIPT, "exec ", "mkdir -p $HF_HOME/refs/main\nexec "),
    ),
    On(WORKER, "agg-gb200").passes(
        "an offline worker that names the repository, whose main a download brings",
        _NAMED,
        text(DOWNLOAD, _SCRIPT, f"--revision {_REVISION} ", ""),
    ),
    On(WORKER, "agg-gb200").passes(
        "a repository's name, and leave to ask the hub", _NAMED, variable(GRAPH, _ENV, "HF_HUB_OFFLINE", None)
    ),
    On(WORKER, "vllm-serve", "model-cache").is_undecided(
        "a server of vLLM that only transformers' variable keeps from the hub",
        "may not ask the hub, so it needs refs/main in the cache, and nothing that was read fills it",
        put("Deployment", _SCRIPT, "openai/gpt-oss-120b"),
        variable("Deployment", f"{SERVER}.env", "HF_HUB_OFFLINE", None),
        variable("Deployment", f"{SERVER}.env", "TRANSFORMERS_OFFLINE", "1"),
    ),
)
