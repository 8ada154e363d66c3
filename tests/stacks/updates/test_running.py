"""What is read of a stack that runs."""

from typing import Any

from stacks.updates.guards.fixed_at_creation import OUTPUT_NAME
from stacks.updates.running import running_of

STACK = "urn:pulumi:mine::dynamo-stack::"
OF_THE_PROGRAM: dict[str, dict[str, Any]] = {
    f"{STACK}pulumi:pulumi:Stack::dynamo-stack-mine": {},
    f"{STACK}pulumi:providers:aws::account": {},
    f"{STACK}dynamo-stack:components:Network::network": {},
}


def test_settings_bind_from_the_first_thing_that_was_made_with_them() -> None:
    outputs = {OUTPUT_NAME: {"cluster.accountId": "210987654321"}}
    assert running_of(OF_THE_PROGRAM, outputs).fixed == {}
    made = {**OF_THE_PROGRAM, f"{STACK}dynamo-stack:components:Network$aws:ec2/vpc:Vpc::network-vpc": {}}
    assert running_of(made, outputs).fixed == outputs[OUTPUT_NAME]
