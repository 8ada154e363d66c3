"""One fault while requests are answered: what is lost, and when everything is served again."""

import collections
import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from lab import report
from tests.serving_stacks.pods import pods_of
from tests.support.lab_stack import LabStack
from tests.support.load import Load, Request
from tests.support.waiting import until

MODEL, NAMESPACE, GRAPH = "openai/gpt-oss-120b", "gpt-oss", "gpt-oss-disagg"
STREAMS = 8
TOKENS = 400
"""An answer of so many takes the mock engine about two and a half seconds."""
FILE_VARIABLE = "FAULTS_UNDER_LOAD"
"""Names the file that a row is appended to for each fault; unset in a plain test run."""
_AGAIN_SECONDS = 1.0
_SERVED_SECONDS = 150.0


@dataclass(frozen=True)
class Row:
    """What one fault has cost."""

    fault: str
    layout: str
    in_flight: int
    lost_in_flight: int
    sent_after: int
    lost_after: int
    """Of those that were sent after the fault."""
    served_again: float
    """Seconds from the fault to the first token after the last loss; 0 where nothing is lost."""
    why: str
    """The most frequent error, without what is different each time."""
    bound: str
    page: str

    @property
    def lost(self) -> int:
        """All that is lost."""
        return self.lost_in_flight + self.lost_after


@dataclass(frozen=True)
class Bench:
    """A stack that is up and its frontend's Service."""

    stack: LabStack
    layout: str

    def pods(self, role: str) -> list[str]:
        """The names of the pods of one component type that nobody has deleted."""
        pods = pods_of(self.stack.lab, GRAPH, NAMESPACE).get(role, [])
        return [pod["metadata"]["name"] for pod in pods if "deletionTimestamp" not in pod["metadata"]]

    def kill(self, *pods: str) -> None:
        """SIGKILL for every process of these pods."""
        home = str(self.stack.lab.directory.root)
        for process in psutil.process_iter():
            try:
                variables = process.environ()
                if variables.get("POD_NAME") in pods and variables.get("HOME", "").startswith(home):
                    process.kill()
            except psutil.Error:
                continue

    def keep_away(self, seconds: float, *pods: str) -> None:
        """SIGKILL again and again, whenever they have been started again."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.kill(*pods)
            time.sleep(_AGAIN_SECONDS)

    def delete(self, pod: str) -> None:
        """SIGTERM for a pod of the graph, with its grace period."""
        self.stack.lab.kubectl("delete", "pod", pod, "-n", NAMESPACE, "--wait=false")

    def is_whole(self) -> bool:
        """Whether every pod of the graph is ready and none is ending."""
        found = [pod for pods in pods_of(self.stack.lab, GRAPH, NAMESPACE).values() for pod in pods]
        return all(
            "deletionTimestamp" not in pod["metadata"]
            and any(
                each["type"] == "Ready" and each["status"] == "True"
                for each in pod["status"].get("conditions", ())
            )
            for pod in found
        )

    def under_load(
        self,
        name: str,
        fault: Callable[[], object],
        *,
        bound: str,
        page: str = "",
        keeps: bool = True,
        felt: float = 3.0,
    ) -> Row:
        """Let the fault happen while requests are answered; return when everything is served again.

        Args:
            name: of the row.
            fault: breaks something, or ends when it is changed.
            bound: what explain, or a page, says of it.
            page: of the runbook.
            keeps: whether clients keep their connections.
            felt: after so many seconds what the fault does stands in the pods' status.

        """
        url = report.frontends(self.stack.lab.directory)[NAMESPACE, GRAPH]
        with Load(url, MODEL, streams=STREAMS, tokens=TOKENS, keeps=keeps) as load:
            until(lambda: len(load.requests) >= STREAMS, "answers before the fault", _SERVED_SECONDS)
            assert not any(each.is_lost for each in load.requests), load.requests
            happened = time.monotonic()
            fault()
            time.sleep(felt)
            until(self.is_whole, "every pod ready again", _SERVED_SECONDS)
            whole = time.monotonic()
            until(lambda: _serves(load.requests, whole), "answers of every stream", _SERVED_SECONDS)
        row = _row(load.requests, happened, name, self.layout, bound, page)
        _write(row)
        return row


def _serves(requests: Sequence[Request], since: float) -> bool:
    """Whether as many whole answers as there are streams began after this moment and after the last loss."""
    last = max([since, *(each.ended for each in requests if each.is_lost)])
    return sum(each.started > last for each in requests) >= STREAMS


def _row(requests: Sequence[Request], happened: float, name: str, layout: str, bound: str, page: str) -> Row:
    in_flight = [each for each in requests if each.started < happened <= each.ended]
    after = [each for each in requests if each.started >= happened]
    lost = [each for each in (*in_flight, *after) if each.is_lost]
    last = max((each.started for each in lost), default=happened)
    firsts = [
        each.first_token for each in after if each.started >= last and each.first_token and not each.is_lost
    ]
    errors = collections.Counter(_shortened(each.error) for each in lost)
    return Row(
        fault=name,
        layout=layout,
        in_flight=len(in_flight),
        lost_in_flight=sum(each.is_lost for each in in_flight),
        sent_after=len(after),
        lost_after=sum(each.is_lost for each in after),
        served_again=round(min(firsts) - happened, 1) if lost else 0.0,
        why=errors.most_common(1)[0][0] if errors else "",
        bound=bound,
        page=page,
    )


def _shortened(error: str) -> str:
    """The kind of an error and its message's first words, without instances and addresses."""
    kind, _, said = error.partition(": ")
    try:
        message: Any = json.loads(said)["message"]
    except (ValueError, KeyError, TypeError):
        message = said.split(" ssl:")[0].split("<")[0]
    words = [word for word in str(message).split() if not any(sign.isdigit() for sign in word)]
    return f"{kind}: {' '.join(words[:12])}".replace("|", "/").strip(" :")


def _write(row: Row) -> None:
    path = os.environ.get(FILE_VARIABLE)
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(row)) + "\n")
