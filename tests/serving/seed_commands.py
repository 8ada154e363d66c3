"""What three published pages tell a person to type, as printed there but for three things.

A path of the publisher's repository is that of our rendered files, and the tool is described in other words.
A continuation prompt (`>`) is none.
The pages: NVIDIA's recipe page "GPT-OSS-120B" (RECIPE), its guides of the model on TensorRT-LLM and on vLLM
(GUIDE).
"""

RECIPE_NAMESPACE = "export NAMESPACE=your-namespace"

RECIPE_PREPARES = (
    "kubectl create namespace ${NAMESPACE}",
    """kubectl create secret generic hf-token-secret \\
  --from-literal=HF_TOKEN="your-token" \\
  -n ${NAMESPACE}""",
    "kubectl apply -f gpt-oss-120b/model-cache/ -n ${NAMESPACE}",
    "kubectl wait --for=condition=Complete job/model-download -n ${NAMESPACE} --timeout=3600s",
)

RECIPE_DEPLOYS = {
    "agg": "kubectl apply -f gpt-oss-120b/trtllm/agg/deploy.yaml -n ${NAMESPACE}",
    "disagg": "kubectl apply -f gpt-oss-120b/trtllm/disagg/deploy.yaml -n ${NAMESPACE}",
}

RECIPE_WATCHES = {
    "disagg": (
        "kubectl get pods -n ${NAMESPACE} -l nvidia.com/dynamo-graph-deployment-name=gpt-oss-disagg -w"
    ),
}

RECIPE_FORWARDS = {
    "agg": "kubectl port-forward svc/gpt-oss-agg-frontend 8000:8000 -n ${NAMESPACE}",
    "disagg": "kubectl port-forward svc/gpt-oss-disagg-frontend 8000:8000 -n ${NAMESPACE}",
}

RECIPE_ASKS = """curl http://localhost:8000/v1/chat/completions \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"openai/gpt-oss-120b","messages":[{"role":"user","content":"Write a one-sentence readiness check."}],"max_tokens":64}'"""  # noqa: E501 - as printed

RECIPE_MEASURES = {
    "agg": "kubectl apply -f gpt-oss-120b/trtllm/agg/perf.yaml -n ${NAMESPACE}",
    "disagg": "kubectl apply -f gpt-oss-120b/trtllm/disagg/perf.yaml -n ${NAMESPACE}",
}

RECIPE_FOLLOWS = {
    "agg": "kubectl logs -f -l job-name=gpt-oss-120b-bench -n ${NAMESPACE}",
    "disagg": "kubectl logs -f -l job-name=gpt-oss-120b-disagg-bench -n ${NAMESPACE}",
}

GUIDE_LOOKS = "curl http://localhost:8000/health"

GUIDE_ASKS = """curl -X POST http://localhost:8000/v1/responses \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "openai/gpt-oss-120b",
    "input": "Explain the concept of disaggregated serving in LLM inference in 3 sentences.",
    "max_output_tokens": 200,
    "stream": false
  }'"""

_WITH_THE_TOOL = """\
  "chat_template_args": {
    "reasoning_effort": "low"
  },
  "tools": [
    {
      "type": "function",
      "function": {
        "name": "get_system_health",
        "description": "Says whether the model server is up.",
        "parameters": {
          "type": "object",
          "properties": {}
        }
      }
    }
  ],
  "response_format": {
    "type": "text"
  },
  "stream": false,
  "max_tokens": 300
}'"""

GUIDE_OFFERS_A_TOOL = (
    """curl localhost:8000/v1/chat/completions -H "Content-Type: application/json" -d '
{
  "model": "openai/gpt-oss-120b",
  "messages": [
    {
      "role": "user",
      "content": "Hey, quick check: is everything up and running?"
    }
  ],
"""
    + _WITH_THE_TOOL
)

GUIDE_GIVES_THE_TOOLS_RESULT = (
    """curl localhost:8000/v1/chat/completions -H "Content-Type: application/json" -d '
{
  "model": "openai/gpt-oss-120b",
  "messages": [
    {
      "role": "user",
      "content": "Hey, quick check: is everything up and running?"
    },
    {
      "role": "assistant",
      "tool_calls": [
        {
          "id": "call-1",
          "type": "function",
          "function": {
            "name": "get_system_health",
            "arguments": "{}"
          }
        }
      ]
    },
    {
      "role": "tool",
      "tool_call_id": "call-1",
      "content": "{\\"status\\":\\"ok\\",\\"uptime_seconds\\":372045}"
    }
  ],
"""
    + _WITH_THE_TOOL
)

GUIDE_WANTS_MUCH_REASONING = """\
curl localhost:8000/v1/chat/completions -H "Content-Type: application/json" -d '{
  "model": "openai/gpt-oss-120b",
  "messages": [{"role": "user", "content": "Hello"}],
  "chat_template_args": {
    "reasoning_effort": "high"
  },
  "top_p": 1,
  "max_tokens": 300
}'"""
