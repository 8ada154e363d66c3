"""Names and places in the graphs and manifests that cases change."""

GRAPH = "DynamoGraphDeployment"
PREFILL, DECODE, WORKER, FRONTEND = "TrtllmPrefillWorker", "TrtllmDecodeWorker", "TrtllmWorker", "Frontend"
DOWNLOAD = "Job/model-download"
RUNTIME = "nvcr.io/nvidia/ai-dynamo/tensorrtllm-runtime"
SNAPSHOT = "/opt/models/hub/models--openai--gpt-oss-120b/snapshots/b5c939de8f754692c1647ca79fbf85e8c1e70f8a"
REQUANTIZED = "/opt/models/hub/models--nvidia--gpt-oss-120b-FP4/snapshots/" + "0" * 40

POD = "spec.template.spec"
"""The pods of a Deployment or a Job."""
SERVER = f"{POD}.containers[0]"
SERVER_ARGS = f"{SERVER}.args"
VLLM_POD = "spec.components[1].podTemplate.spec"
"""The pods of the first worker of a graph of v1beta1, as those of vLLM and SGLang beside this file are."""
VLLM_MAIN = f"{VLLM_POD}.containers[0]"
VLLM_ARGS = f"{VLLM_MAIN}.args"
