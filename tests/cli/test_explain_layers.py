"""`explain`, `check` and `render` of a stack that owns some layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.command import squeezed, write_stack
from tests.stacks.plan.layers.settings import layered
from tests.support.eks_settings import eks_b200_settings

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.command import Command


@pytest.fixture
def shown(command: Command, tmp_path: Path) -> Any:
    def shown_by(subcommand: str, settings: dict[str, Any]) -> str:
        write_stack(tmp_path, settings)
        answer = command(*subcommand.split(), "dev", folder=tmp_path)
        assert (answer.code, answer.err) == (0, "")
        return answer.out

    return shown_by


def test_a_stack_without_layers_says_nothing_of_them(shown: Any) -> None:
    assert "LAYERS" not in shown("explain --all", eks_b200_settings())


def test_a_serving_stack_names_who_owns_what_it_stands_on(shown: Any) -> None:
    text = squeezed(shown("explain --all", layered("serving")))
    assert "this stack owns serving, and nothing else of what its file describes" in text
    assert "infrastructure is stack base's: `dynamo-stack explain base`" in text
    assert "platform is stack dynamo's: `dynamo-stack explain dynamo`" in text
    assert "CLUSTER eks gpt-oss in us-east-1, account 123456789012, made by stack base" in text
    assert "PLATFORM run by stack dynamo, Dynamo 1.2.1 in dynamo-system" in text
    assert "TrtllmDecodeWorker" in text
    assert not any(word in text for word in ("NETWORK own", "OPERATORS", "IDLE b200", "SERVERS"))


def test_a_stack_of_the_infrastructure_speaks_of_account_and_idle_gpus_and_of_no_graph(shown: Any) -> None:
    text = squeezed(shown("explain --all", layered("infrastructure")))
    assert "NETWORK own" in text
    assert "IDLE b200: 3 of 8 GPUs" in text
    assert not any(word in text for word in ("PLATFORM", "CLIENTS", "TrtllmDecodeWorker", "model-download"))


def test_a_stack_of_the_platform_speaks_of_its_servers_and_of_no_pool(shown: Any) -> None:
    text = squeezed(shown("explain --all", layered("platform")))
    assert "PLATFORM own, Dynamo 1.2.1" in text
    assert "SERVERS NATS: own, 3 members" in text
    assert not any(word in text for word in ("POOL", "PRICES", "TrtllmDecodeWorker"))


@pytest.mark.parametrize("layer", ["infrastructure", "platform", "serving"])
def test_a_stack_of_one_layer_is_checked_by_itself(shown: Any, layer: str) -> None:
    assert "0 mandatory" in shown("check", layered(layer))


def test_render_writes_this_stack_s_objects_alone(shown: Any) -> None:
    text = shown("render", layered("serving"))
    assert "kind: DynamoGraphDeployment" in text
    assert "kind: StatefulSet" not in text
    assert "StackReference" not in text


def test_preflight_of_a_joined_stack_names_the_stack_that_makes_the_cluster(
    command: Command, tmp_path: Path
) -> None:
    write_stack(tmp_path, layered("serving"))
    answer = command("preflight", "dev", folder=tmp_path)
    assert answer.code != 0
    assert "stack base makes the cluster of stack dev: `dynamo-stack preflight base`" in squeezed(answer.err)
