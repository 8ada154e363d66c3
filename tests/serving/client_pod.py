"""A client in the cluster: a pod of the serving namespace that goes on asking, as a benchmark's Job would."""

import json
from dataclasses import dataclass
from typing import Any

from tests.support.sandbox import Sandbox

NAME = "client"
_STREAMS = 4
_TOKENS = 64
_LAST_LINES = 12
# Prints one line for each answer. An answer that fails says so and is asked for again.
_PROGRAM = """
import json, sys, threading, time, urllib.request
url, model, streams, tokens = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
question = {"role": "user", "content": "What does a compute domain share?"}
body = json.dumps({"model": model, "messages": [question], "max_tokens": tokens}).encode()
def ask():
    while True:
        try:
            request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
            answer = json.load(urllib.request.urlopen(request, timeout=30))
            print("answered", answer["usage"]["completion_tokens"], flush=True)
        except Exception as error:
            print("failed", error, flush=True)
            time.sleep(0.2)
for _ in range(streams):
    threading.Thread(target=ask).start()
"""


@dataclass(frozen=True)
class ClientPod:
    """The pod while it is there."""

    lab: Sandbox
    namespace: str

    def start(self, image: str, service: str, model: str) -> None:
        """Ask the Service of a frontend until somebody deletes the pod; the image has a Python."""
        url = f"http://{service}.{self.namespace}:8000/v1/chat/completions"
        words = ["python3", "-c", _PROGRAM, url, model, str(_STREAMS), str(_TOKENS)]
        container = {"name": "client", "image": image, "command": words}
        pod: dict[str, Any] = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": NAME, "namespace": self.namespace},
            "spec": {
                "containers": [container],
                "restartPolicy": "Never",
                "automountServiceAccountToken": False,
                "terminationGracePeriodSeconds": 0,
            },
        }
        self.lab.kubectl("apply", "-f", "-", stdin=json.dumps(pod))

    def answers(self) -> int:
        """How many answers it has had."""
        return sum(line.startswith("answered") for line in self._log())

    def last_words(self) -> str:
        """What it and the pods of its namespace said last: a runtime that hangs says so nowhere else."""
        names = [pod["metadata"]["name"] for pod in self.lab.get("pods", "-n", self.namespace)["items"]]
        return "\n".join(f"{name}: {line}" for name in names for line in self._log(name)[-_LAST_LINES:])

    def stop(self) -> None:
        """Delete it."""
        self.lab.kubectl("delete", "pod", NAME, "-n", self.namespace, "--ignore-not-found")

    def _log(self, pod: str = NAME) -> list[str]:
        return self.lab.kubectl("logs", "-n", self.namespace, pod, check=False).stdout.splitlines()
