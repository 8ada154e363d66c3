from pathlib import Path

import pytest

from tests.rules.judging import TRAY, found, in_file, judge

V1BETA1 = """
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: beta}
spec:
  components:
    - name: worker
      type: worker
      replicas: 1
      podTemplate:
        spec:
          resourceClaims: [{name: channel, resourceClaimTemplateName: channel-template}]
          containers:
            - name: main
              command: [python3, -m, dynamo.trtllm]
              args: [--tensor-parallel-size, "4"]
              resources: {limits: {nvidia.com/gpu: 4}, claims: [{name: channel}]}
"""


@pytest.mark.parametrize(
    ("device_class", "is_channel"),
    [("compute-domain-default-channel.nvidia.com", True), ("efa.networking.k8s.aws", False)],
)
@pytest.mark.parametrize("wrap", ["{{name: r, {}}}", "{{name: r, exactly: {{{}}}}}"])
def test_a_template_s_device_class_tells_a_channel_from_other_claims(
    tmp_path: Path, device_class: str, wrap: str, *, is_channel: bool
) -> None:
    request = wrap.format(f"deviceClassName: {device_class}")
    template = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: channel-template}\n"
        f"spec: {{spec: {{devices: {{requests: [{request}]}}}}}}\n"
    )
    text = f"{template}---\n{V1BETA1}"
    assert ((TRAY, "undecided", "worker") in found(judge(in_file(tmp_path, text)))) is is_channel
