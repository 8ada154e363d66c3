"""The plugin's process: when it ends, what becomes of Helm, and no traceback."""

import signal
import subprocess

import psutil

from tests.lab.conformance.charts import write_chart
from tests.lab.conformance.toy import POD, STACK, Toy
from tests.support.running import running_in
from tests.support.waiting import until

_DEADLINE_SECONDS = 60.0
# The vendor's looks for its engine every five minutes.


def test_plugin_and_helm_end_with_their_engine(toy: Toy) -> None:
    chart = write_chart(toy.folder / "chart")
    toy.write(
        POD
        + f"""
k8s.core.v1.Pod("p", metadata=named("p"), spec={{"containers": [HUGE]}})
k8s.helm.v3.Release("r", name="r", namespace=NAMESPACE, chart={str(chart)!r}, values={{"cpu": "9000"}})
"""
    )
    engine = _up(toy)
    until(
        lambda: toy.exists("pod", "p") and toy.exists("deployment", "r"),
        "both",
        _DEADLINE_SECONDS,
        cluster=toy.lab.directory,
    )
    # The chart lies in the program's folder.
    [helm] = [each for each in running_in(toy.folder) if each.name() == "helm"]
    plugin = helm.parent()
    assert plugin is not None
    engine.kill()
    until(lambda: _has_ended(plugin) and _has_ended(helm), "their end", _DEADLINE_SECONDS)
    status = toy.lab.run("helm", "status", "r", "--namespace", toy.namespace).stdout
    assert "STATUS: pending-install" in status


def test_an_interrupted_wait_ends_without_a_traceback(toy: Toy) -> None:
    toy.write(POD + 'k8s.core.v1.Pod("p", metadata=named("p"), spec={"containers": [HUGE]})')
    engine = _up(toy)
    until(lambda: toy.exists("pod", "p"), "the pod", _DEADLINE_SECONDS, cluster=toy.lab.directory)
    engine.send_signal(signal.SIGINT)
    output, _ = engine.communicate(timeout=_DEADLINE_SECONDS)
    assert "Traceback" not in output
    assert 'Resource operation was cancelled for "p"' in output
    # It exists, so it is in the state.
    assert toy.recorded() == {"p"}


def _up(toy: Toy) -> psutil.Popen:
    command = ("up", "--yes", "--skip-preview", "--stack", STACK, "--non-interactive", "--color=never")
    return psutil.Popen(
        [str(toy.lab.directory.bin / "pulumi"), *command],
        cwd=toy.folder,
        env=toy.lab.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def _has_ended(process: psutil.Process) -> bool:
    # Whoever inherits a killed engine's children may take its time to collect them.
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
