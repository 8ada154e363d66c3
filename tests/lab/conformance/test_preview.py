"""Previews: what a dry run tells, and where a preview knows nothing and says so."""

from tests.lab.conformance.toy import Toy

_NOT_YET = """
    k8s.core.v1.ConfigMap("no-namespace", metadata={"name": "a", "namespace": NAMESPACE + "-missing"})
    k8s.core.v1.ConfigMap("exists", metadata=named("existing"), data={"key": "ours"})
    k8s.apiextensions.CustomResource("no-definition", api_version="toys.example.com/v1", kind="Missing",
                                     metadata=named("a"), spec={"anything": 1})
    first = k8s.core.v1.ConfigMap("first", metadata=named("first"))
    # Unknown in a preview, and no protocol at all: a dry run would refuse it.
    k8s.core.v1.Service("unknown", metadata=named("unknown"),
                        spec={"ports": [{"port": 80, "protocol": first.id}]})
"""


def test_a_preview_reports_what_the_api_server_would_refuse(toy: Toy) -> None:
    output = toy.failing(
        "preview",
        program="""
        k8s.core.v1.Service("bad", metadata=named("bad"), spec={"ports": [{"port": 80, "protocol": "NONE"}]})
    """,
    )
    assert "was not successfully created by the Kubernetes API server" in output
    assert 'spec.ports[0].protocol: Unsupported value: "NONE"' in output


def test_a_preview_is_green_where_a_dry_run_can_say_nothing(toy: Toy) -> None:
    toy.kubectl("create", "configmap", "existing")
    output = toy.preview(_NOT_YET)
    assert "+ 6 to create" in output
    assert not toy.exists("configmap", "first")


def test_outputs_of_a_preview_come_from_the_dry_run_but_for_id_and_status(toy: Toy) -> None:
    toy.preview("""
        from pathlib import Path
        service = k8s.core.v1.Service("s", metadata=named("s"), spec={"ports": [{"port": 80}]})
        service.spec.apply(lambda spec: Path("type").write_text(spec["type"]))
        service.metadata.apply(lambda metadata: Path("uid").write_text(metadata["uid"]))
        service.id.apply(lambda _: Path("id").touch())
        service.status.apply(lambda status: Path("status").write_text(repr(status)))
    """)
    assert (toy.folder / "type").read_text() == "ClusterIP"
    assert (toy.folder / "uid").exists()
    assert not (toy.folder / "id").exists()
    assert not (toy.folder / "status").exists() or (toy.folder / "status").read_text() == "None"


def test_a_preview_of_an_update_is_a_dry_run_too(toy: Toy) -> None:
    program = """
        spec = {{"ports": [{{"port": 80}}], "session_affinity": "{value}"}}
        k8s.core.v1.Service("s", metadata=named("s"), spec=spec)
    """
    toy.up(program.format(value="None"))
    output = toy.failing("preview", program=program.format(value="Never"))
    assert 'Unsupported value: "Never"' in output
    assert "~ 1 to update" in toy.preview(program.format(value="ClientIP"))
    assert toy.get("service", "s")["spec"]["sessionAffinity"] == "None"
    toy.kubectl("delete", "service", "s")
    assert "update of resource" in toy.failing("preview")


def test_no_cluster_is_asked_while_the_kubeconfig_is_unknown(toy: Toy) -> None:
    output = toy.preview("""
        first = k8s.core.v1.ConfigMap("first", metadata=named("first"))
        provider = k8s.Provider("later", kubeconfig=first.id.apply(lambda _: "not a kubeconfig"))
        # A dry run would refuse this port.
        k8s.core.v1.Service("s", metadata=named("s"), spec={"ports": [{"port": 99999}]},
                            opts=options(provider=provider))
    """)
    assert "+ 4 to create" in output
