"""Runs the benchmark as a Job in the cluster, reads its log, and takes the Job away again."""

import json
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from components.cluster_answer import JOBS, PODS, KubernetesObject, Objects, condition_of
from failures.explanation import Subject
from failures.pods_and_events import container_statuses, has_ended, pod_reasons, warnings_of
from operations.benchmark.aiperf import failure_reason, read_progress, results_in
from operations.benchmark.progress import BenchProgress
from operations.commands import ClusterCommands, last_line
from operations.errors import CommandError

_ANSWER_SECONDS = 15
_NODE_SECONDS = 300
"""Until the pod has a node: long enough for an autoscaler, and for another Job to end."""
_START_SECONDS = 900
"""Until its container runs: the image has 400 MB."""
_END_SECONDS = 120
"""After its deadline until the cluster says that the Job has ended."""
_PAUSE_SECONDS = 2.0
_LOG_SECONDS = 120
_TRIES = 5
_LAST_LINES = "--tail=2000"
"""Of the log, each time that the Job is looked at; all of it is read when it has ended."""
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
        self._log = ""
        self._has_started = False
        self._received = 0
        self._may_exist = True

    @property
    def delete_command(self) -> str:
        """What a person types to take the Job away."""
        return self._cluster.line("kubectl", "delete", "job", self._name, *self._where)

    def run(self) -> None:
        """Create the Job, follow it to its end and delete it, whatever happens.

        Raises:
            CommandError: it is there already, finds no node, does not start, fails or ends without a result.
            KeyboardInterrupt: after the Job has been deleted.

        """
        try:
            self._create()
            self._follow()
        finally:
            if self._may_exist:
                self._delete()

    def _create(self) -> None:
        limit = f"--request-timeout={_ANSWER_SECONDS}s"
        words = ("create", "--filename", "-", limit)
        answer = self._cluster.run("kubectl", *words, text=json.dumps(self._manifest))
        if "AlreadyExists" in answer.stderr:
            self._may_exist = False
            look = self._cluster.line("kubectl", "get", "job", self._name, *self._where)
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

    def _follow(self) -> None:
        """Look at the Job until its pod has ended well, and take what its log says."""
        began, said = time.monotonic(), ""
        while True:
            self._raise_if_failed()
            pod = self._pod()
            passed = time.monotonic() - began
            if pod is not None and pod.get("status", {}).get("phase") == "Succeeded":
                self._take_all(pod)
                return
            if passed > self._manifest["spec"]["activeDeadlineSeconds"] + _END_SECONDS:
                raise CommandError(f"Job {self._name} had not ended {_END_SECONDS} s after its deadline")
            if pod is not None and _runs(pod):
                self._has_started = True
                self._take(pod, _LAST_LINES)
            elif not self._has_started:
                said = self._waits(pod, passed, said)
            self._pause(_PAUSE_SECONDS)

    def _take_all(self, pod: KubernetesObject) -> None:
        """Read the whole log, again where the cluster does not say it: the GPUs have worked for it."""
        for _ in range(_TRIES):
            self._take(pod)
            if self._received == self._loads:
                return
            self._pause(_PAUSE_SECONDS)
        raise CommandError(
            f"Job {self._name} ended well, but its log holds {self._received} of {self._loads} results\n"
            "  Where pods are simulated no container of a Job runs: measure with --from-here there."
        )

    def _waits(self, pod: KubernetesObject | None, passed: float, said: str) -> str:
        """Say once why the container does not run yet; CommandError after too long."""
        if pod is not None:
            reason = pod_reasons([pod])[0]
        else:
            warnings = warnings_of(self._cluster.reader, Subject("Job", self._name, self._namespace))
            reason = warnings[-1] if warnings else "it has no pod yet"
        if reason != said:
            self._progress.said(f"Job {self._name} waits: {reason}")
        seconds = _START_SECONDS if pod and pod.get("spec", {}).get("nodeName") else _NODE_SECONDS
        if passed > seconds:
            raise CommandError(f"Job {self._name} did not start within {seconds} s: {reason}")
        return reason

    def _take(self, pod: KubernetesObject, *limits: str) -> None:
        """Read the log, and hand on the results that are new."""
        words = (pod["metadata"]["name"], *self._where, *limits)
        self._log = self._cluster.reader.within(_LOG_SECONDS).log(*words)
        if progress := [found for line in self._log.splitlines() if (found := read_progress(line))]:
            self._progress.moved(progress[-1])
        results = results_in(self._log)
        # A node begins a new file now and then: what is not the next one's stays unread.
        while (summary := results.get(self._received + 1)) is not None:
            self._received += 1
            self._receive(summary)

    def _raise_if_failed(self) -> None:
        answer = self._cluster.reader.ask(JOBS, self._name, self._namespace)
        if not answer.is_known:
            # A long run outlives that the cluster does not say just now.
            return
        if answer.first is None:
            raise CommandError(f"Job {self._name} is gone: somebody deleted it")
        failed = condition_of(answer.first, "Failed")
        if failed.get("status") != "True":
            return
        pod = self._pod()
        if failed.get("reason") == "DeadlineExceeded" or pod is None:
            raise CommandError(
                f"Job {self._name} failed: {failed.get('reason')}, {failed.get('message')}\n"
                "  try: a longer --time-limit, fewer --requests, or a lower --concurrency"
            )
        self._take(pod)
        raise CommandError(f"Job {self._name} failed ({_end(pod)}): {failure_reason(self._log.splitlines())}")

    def _pod(self) -> KubernetesObject | None:
        return self._cluster.reader.find(self._pods).first


def _runs(pod: KubernetesObject) -> bool:
    """Whether the container runs, or has run."""
    states = (each.get("state") or {} for each in container_statuses(pod))
    return has_ended(pod) or any("running" in state for state in states)


def _end(pod: KubernetesObject) -> str:
    ends = ((each.get("state") or {}).get("terminated") for each in container_statuses(pod))
    found = (f"exit code {end.get('exitCode')}, {end.get('reason')}" for end in ends if end)
    return next(found, "its pod says nothing")


def _labelled(manifest: Mapping[str, Any], label: Mapping[str, str]) -> dict[str, Any]:
    """Return the manifest with this label on the Job and on its pods."""
    spec = manifest["spec"]
    template = {**spec["template"], "metadata": {"labels": label}}
    metadata = {**manifest["metadata"], "labels": label}
    return {**manifest, "metadata": metadata, "spec": {**spec, "template": template}}
