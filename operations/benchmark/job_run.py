"""Runs the benchmark as a Job in the cluster, reads its log, and takes the Job away again."""

import json
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from components.cluster_answer import JOBS, PODS, KubernetesObject, Objects, condition_of
from failures.explanation import Subject
from failures.pods_and_events import container_statuses, has_ended, pod_reasons, warnings_of
from operations.benchmark.aiperf import AIPerfLog
from operations.benchmark.progress import BenchProgress
from operations.commands import ClusterCommands, last_line
from operations.errors import CommandError
from operations.streamed_process import streamed

_ANSWER_SECONDS = 15
_NODE_SECONDS = 300
"""Until the pod has a node: long enough for an autoscaler, and for another Job to end."""
_START_SECONDS = 900
"""Until its container runs: the image has 400 MB."""
_END_SECONDS = 120
"""After its deadline until the cluster says that the Job has ended."""
_PAUSE_SECONDS = 2.0
_SILENT_SECONDS = 5
"""After so long without a line the Job is looked at: a stream may be open and dead."""
_RUN_LABEL = "dynamo-stack/benchmark-run"


class BenchmarkJob:
    """A Job of one run; its name is fixed, so that no two loads measure each other.

    Args:
        cluster: where it runs.
        manifest: of the Job.
        loads: how many results its log will hold.
        progress: shows what happens.
        received: takes AIPerf's summary of each load, in their order.
        pause: waits for so many seconds between two looks.

    """

    def __init__(
        self,
        cluster: ClusterCommands,
        manifest: Mapping[str, Any],
        loads: int,
        progress: BenchProgress,
        received: Callable[[str], None],
        *,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._cluster = cluster
        # A Job of the same name may be somebody else's, and a pod of it left from one that was just deleted:
        # both are found by this label alone.
        label = uuid.uuid4().hex
        self._manifest = _labelled(manifest, {_RUN_LABEL: label})
        self._loads = loads
        self._progress = progress
        self._receive = received
        self._pause = pause
        self._name: str = manifest["metadata"]["name"]
        self._namespace = str(manifest["metadata"]["namespace"])
        self._where = ("--namespace", self._namespace)
        self._pods = Objects(PODS, namespace=self._namespace, labels=f"{_RUN_LABEL}={label}")
        self._log = AIPerfLog()
        self._received = 0
        self._may_exist = True

    @property
    def delete_command(self) -> str:
        """What a person types to take the Job away."""
        return self._cluster.command("delete", "job", self._name, *self._where)

    def run(self) -> None:
        """Create the Job, follow it to its end and delete it, whatever happens.

        Raises:
            CommandError: it is there already, finds no node, does not start, fails or ends without a result.
            KeyboardInterrupt: after the Job has been deleted.

        """
        try:
            self._create()
            deadline = time.monotonic() + self._manifest["spec"]["activeDeadlineSeconds"] + _END_SECONDS
            self._follow(self._started_pod(), deadline)
        finally:
            if self._may_exist:
                self._delete()

    def _create(self) -> None:
        limit = f"--request-timeout={_ANSWER_SECONDS}s"
        words = ("create", "--filename", "-", limit)
        answer = self._cluster.run("kubectl", *words, text=json.dumps(self._manifest))
        if "AlreadyExists" in answer.stderr:
            self._may_exist = False
            look = self._cluster.command("get", "job", self._name, *self._where)
            raise CommandError(
                f"Job {self._name} is in the cluster already: two at a time would measure each other\n"
                f"  try: wait for it, `{look}`; or, if nobody waits for it, `{self.delete_command}`"
            )
        if answer.returncode != 0:
            raise self._cluster.failure(answer, "kubectl", *words)
        self._progress.said(f"Job {self._name} created; it is deleted when this command ends")

    def _delete(self) -> None:
        words = ("delete", "jobs", *self._pods.where, "--ignore-not-found", "--wait=false")
        try:
            answer = self._cluster.run("kubectl", *words, f"--request-timeout={_ANSWER_SECONDS}s")
            left = "" if answer.returncode == 0 else last_line(answer.stderr)
        except KeyboardInterrupt:
            left = "interrupted"
        if left:
            self._progress.said(f"Job {self._name} may still run ({left}): `{self.delete_command}`")
        else:
            self._progress.said(f"Job {self._name} deleted")

    def _started_pod(self) -> str:
        """Wait until the container runs or has run; return the pod's name."""
        began, said = time.monotonic(), ""
        while True:
            pod = self._pod()
            if pod is not None and (
                has_ended(pod)
                or any("running" in (each.get("state") or {}) for each in container_statuses(pod))
            ):
                return pod["metadata"]["name"]
            if pod is not None:
                reason = pod_reasons([pod])[0]
            else:
                warnings = warnings_of(self._cluster, Subject("Job", self._name, self._namespace))
                reason = warnings[-1] if warnings else "it has no pod yet"
            if reason != said:
                self._progress.said(f"Job {self._name} waits: {reason}")
                said = reason
            seconds = _START_SECONDS if pod and pod.get("spec", {}).get("nodeName") else _NODE_SECONDS
            if time.monotonic() - began > seconds:
                raise CommandError(f"Job {self._name} did not start within {seconds} s: {reason}")
            self._raise_if_failed()
            self._pause(_PAUSE_SECONDS)

    def _follow(self, pod: str, deadline: float) -> None:
        words = ("logs", f"pod/{pod}", *self._where)
        try:
            # A connection that broke is opened again, and the log read from its beginning.
            while not self._read(*words, "--follow", deadline=deadline):
                self._pause(_PAUSE_SECONDS)
            # One that was dead has not brought the last lines.
            if self._received < self._loads:
                self._read(*words, deadline=deadline)
        except TimeoutError:
            raise CommandError(
                f"Job {self._name} had not ended {_END_SECONDS} s after its deadline"
            ) from None
        if self._received < self._loads:
            raise CommandError(
                f"Job {self._name} ended well, but its log holds {self._received} of {self._loads} results\n"
                "  Where pods are simulated no container of a Job runs: measure with --from-here there."
            )

    def _read(self, *words: str, deadline: float) -> bool:
        """Read the log from its beginning; return whether the Job has ended well.

        Raises:
            CommandError: the Job has failed.
            TimeoutError: the deadline is over.

        """
        self._log = AIPerfLog()
        with streamed(self._cluster.words("kubectl", *words)) as logs:
            silent = 0
            for line in logs.lines(deadline):
                silent = 0 if line is not None else silent + 1
                if silent == _SILENT_SECONDS:
                    silent = 0
                    if self._has_ended():
                        return True
                self._take(line or "")
        return self._has_ended()

    def _take(self, line: str) -> None:
        progress = self._log.read(line)
        if progress is not None:
            self._progress.moved(progress)
        # kubectl reads from where the node last began a new file: what is not the next one's stays unread.
        while (summary := self._log.results.get(self._received + 1)) is not None:
            self._received += 1
            self._receive(summary)

    def _has_ended(self) -> bool:
        """Whether the Job has ended well; raises CommandError where it failed."""
        self._raise_if_failed()
        pod = self._pod() or {}
        return pod.get("status", {}).get("phase") == "Succeeded"

    def _raise_if_failed(self) -> None:
        answer = self._cluster.ask(JOBS, self._name, self._namespace)
        if not answer.is_known:
            # A long run outlives that the cluster does not say just now.
            return
        if answer.first is None:
            raise CommandError(f"Job {self._name} is gone: somebody deleted it")
        failed = condition_of(answer.first, "Failed")
        if failed.get("status") != "True":
            return
        pod = self._pod()
        if failed.get("reason") != "DeadlineExceeded" and pod is not None:
            raise self._failure(pod)
        raise CommandError(
            f"Job {self._name} failed: {failed.get('reason')}, {failed.get('message')}\n"
            "  try: a longer --time-limit, fewer --requests, or a lower --concurrency"
        )

    def _failure(self, pod: KubernetesObject) -> CommandError:
        ends = [(each.get("state") or {}).get("terminated") or {} for each in container_statuses(pod)]
        said = next(
            (f"exit code {end.get('exitCode')}, {end.get('reason')}" for end in ends if end),
            "its pod says nothing",
        )
        return CommandError(f"Job {self._name} failed ({said}): {self._log.reason()}")

    def _pod(self) -> KubernetesObject | None:
        return self._cluster.find(self._pods).first


def _labelled(manifest: Mapping[str, Any], label: Mapping[str, str]) -> dict[str, Any]:
    """Return the manifest with this label on the Job and on its pods."""
    spec = manifest["spec"]
    template = {**spec["template"], "metadata": {"labels": label}}
    metadata = {**manifest["metadata"], "labels": label}
    return {**manifest, "metadata": metadata, "spec": {**spec, "template": template}}
