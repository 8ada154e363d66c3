"""Secrets: encrypted in every copy that the state keeps, and never printed."""

import base64

from tests.lab.conformance.toy import POD, Toy

_PLANTED = "planted-credential"
_ENCODED = base64.b64encode(_PLANTED.encode()).decode()
_SECRET_MARK = "4dabf18193072939515e22adb298388d"


def test_data_of_a_secret_is_secret_though_nobody_said_so(toy: Toy) -> None:
    program = 'k8s.core.v1.Secret("s", metadata=named("s"), string_data={{"token": "{token}"}})'
    output = toy.up(program.format(token=_PLANTED))
    output += toy.up(program.format(token=_PLANTED + "-2"))
    output += toy.preview(program.format(token=_PLANTED + "-3"))
    toy.pulumi("refresh", "--yes", "--skip-preview")
    assert _PLANTED not in output
    assert toy.files_holding(_PLANTED) == []
    assert toy.files_holding(_ENCODED) == []
    outputs = toy.state("s")["outputs"]
    assert _SECRET_MARK in outputs["data"]
    assert _SECRET_MARK in outputs["__inputs"]["data"]


def test_a_secret_input_stays_secret_wherever_it_comes_back(toy: Toy) -> None:
    toy.up(
        POD
        + f"""
token = pulumi.Output.secret("{_PLANTED}")
k8s.core.v1.ConfigMap("c", metadata=named("c"), data={{"token": token, "open": "seen"}})
container = {{**CONTAINER, "env": [{{"name": "TOKEN", "value": token}}]}}
k8s.apps.v1.Deployment("d", metadata=named("d"), spec=workload("d", container))
"""
    )
    toy.pulumi("refresh", "--yes", "--skip-preview")
    assert toy.files_holding(_PLANTED) == []
    data = toy.state("c")["outputs"]["data"]
    assert data["open"] == "seen"
    assert _SECRET_MARK in data["token"]
    # The cluster has it in clear: that is what it is for.
    assert toy.get("configmap", "c")["data"]["token"] == _PLANTED
